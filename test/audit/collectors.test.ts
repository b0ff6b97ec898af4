import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {fakePymysql} from '../support/fake-pymysql.ts'
import {testDirectory} from '../support/test-directory.ts'

const COLLECTORS = join(import.meta.dirname, '../../src/audit/collectors')

/** Writes a collector with its input, and runs it. */
async function collect(collector: string, input: object, {directory = testDirectory(), env = {}} = {}) {
  const program = join(directory, 'collector.py')
  const text = await readFile(join(COLLECTORS, collector), 'utf8')
  await writeFile(program, `INPUT = ${JSON.stringify(input)}\n${text}`)
  return execa('python3', [program], {env, reject: false})
}

/** Runs the collector of databases with a connection, or with that of a cell too. */
async function connect(url: string, cell?: string) {
  const directory = await fakePymysql()
  const database = {
    name: 'x',
    service: 'x',
    variable: 'URL',
    section: 'database',
    ...(cell && {cells: {variable: 'URL'}}),
  }
  const env = {URL: url, ...(cell && {CELL: cell})}
  return collect('sql.py', {databases: [database]}, {directory, env})
}

it('a connection is read as SQLAlchemy does, with an address of IPv6 and its authority', async () => {
  const {stdout, stderr} = await connect('mysql+pymysql://nova:p#/?%40ss@[::1]:3307/nova?ssl_ca=/ca.crt')

  expect(JSON.parse(stdout)).toMatchObject({
    ...{host: '::1', port: 3307, user: 'nova', password: 'p#/?@ss', database: 'nova'},
    ssl: {ca: '/ca.crt'},
  })
  expect(stderr).toBe('MySQLError: refused')
})

it.each(['mysql://nova:secret@db:secret/nova', 'nova:secret', 'mysql://nova:se:cret@db:99999999/%ff'])(
  'a connection that cannot be used is not quoted: %s',
  async (url) => {
    const {stderr} = await connect(url)

    expect(stderr).not.toMatch(/se:?cret/)
  },
)

it('the connection of a cell takes its parts from the main one, and is not quoted if it cannot be used', async () => {
  const main = 'mysql+pymysql://nova:12/p#@db:3307/nova?ssl_ca=/ca.crt'

  const cell = await connect(main, '{scheme}://{username}:{password}@{hostname}:{port}/{path}_cell1?{query}')
  const unknown = await connect(main, 'mysql://nova:{secret}@db/nova')

  expect(JSON.parse(cell.stdout.split('\n')[1]!)).toMatchObject({
    ...{host: 'db', port: 3307, password: '12/p#', database: 'nova_cell1', ssl: {ca: '/ca.crt'}},
  })
  expect(unknown.stderr).toBe('LookupError: the connection of a cell has unknown fields')
})

it('a service without pools in Ceph has nothing to compare', async () => {
  const configuration = join(testDirectory(), 'cinder.conf')
  await writeFile(configuration, '[lvm]\nvolume_group = cinder\n')

  const {stdout} = await collect('rbd.py', {files: [configuration], pools: ['rbd_pool'], users: ['rbd_user']})

  expect(JSON.parse(stdout)).toBeNull()
})

import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {fakePymysql} from '../support/fake-pymysql.ts'

const PROGRAM = join(import.meta.dirname, '../../src/audit/collectors/sql.py')

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
  const given = `INPUT = ${JSON.stringify({databases: [database]})}\n`
  await writeFile(join(directory, 'sql.py'), given + (await readFile(PROGRAM, 'utf8')))
  return execa('python3', [join(directory, 'sql.py')], {
    env: {URL: url, ...(cell && {CELL: cell})},
    reject: false,
  })
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

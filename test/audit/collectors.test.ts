import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'

/** pymysql that prints how it is called, and is refused. */
const PYMYSQL = `
import json, sys

class MySQLError(Exception):
    pass

def connect(**options):
    options.pop('cursorclass')
    print(json.dumps(options))
    raise MySQLError('refused')
`
const PROGRAM = join(import.meta.dirname, '../../src/audit/collectors/sql.py')

/** Runs the collector of databases with a connection. */
async function connect(url: string) {
  const directory = testDirectory()
  await mkdir(join(directory, 'pymysql'))
  await writeFile(join(directory, 'pymysql/__init__.py'), PYMYSQL)
  await writeFile(join(directory, 'pymysql/cursors.py'), 'class DictCursor:\n    pass\n')
  const database = {name: 'x', service: 'x', variable: 'URL', section: 'database'}
  const given = `INPUT = ${JSON.stringify({databases: [database]})}\n`
  await writeFile(join(directory, 'sql.py'), given + (await readFile(PROGRAM, 'utf8')))
  return execa('python3', [join(directory, 'sql.py')], {env: {URL: url}, reject: false})
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

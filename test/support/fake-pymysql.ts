import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {testDirectory} from './test-directory.ts'

const PYMYSQL = `
import json, os

class MySQLError(Exception):
    pass

class Connection:
    """Answers each query with the cell in CELL, or with the rows in ROWS by a word of the query."""
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def cursor(self):
        return self

    def execute(self, query):
        self.query = query

    def fetchall(self):
        if 'CELL' in os.environ:
            return [{'name': 'cell1', 'database_connection': os.environ['CELL']}]
        return next((rows for word, rows in json.loads(os.environ['ROWS']).items() if word in self.query), [])

def connect(**options):
    options.pop('cursorclass', None)
    if 'ROWS' in os.environ:
        return Connection()
    print(json.dumps(options))
    if 'CELL' in os.environ:
        return Connection()
    raise MySQLError('refused')
`

/**
 * Writes a module `pymysql` and returns its directory. It prints the options of a connection, and refuses it,
 * unless `CELL` is set to the connection of a cell. With `ROWS`, JSON of rows by a word of the query that
 * returns them, it prints nothing.
 */
export async function fakePymysql(): Promise<string> {
  const directory = testDirectory()
  await mkdir(join(directory, 'pymysql'))
  await writeFile(join(directory, 'pymysql/__init__.py'), PYMYSQL)
  await writeFile(join(directory, 'pymysql/cursors.py'), 'class DictCursor:\n    pass\n')
  return directory
}

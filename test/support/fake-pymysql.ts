import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {testDirectory} from './test-directory.ts'

const PYMYSQL = `
import json, os

class MySQLError(Exception):
    pass

class Connection:
    """Answers each query with the cell in CELL."""
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def cursor(self):
        return self

    def execute(self, _):
        pass

    def fetchall(self):
        return [{'name': 'cell1', 'database_connection': os.environ['CELL']}]

def connect(**options):
    options.pop('cursorclass', None)
    print(json.dumps(options))
    if 'CELL' in os.environ:
        return Connection()
    raise MySQLError('refused')
`

/**
 * Writes a module `pymysql` and returns its directory. It prints the options of a connection, and refuses it,
 * unless `CELL` is set to the connection of a cell.
 */
export async function fakePymysql(): Promise<string> {
  const directory = testDirectory()
  await mkdir(join(directory, 'pymysql'))
  await writeFile(join(directory, 'pymysql/__init__.py'), PYMYSQL)
  await writeFile(join(directory, 'pymysql/cursors.py'), 'class DictCursor:\n    pass\n')
  return directory
}

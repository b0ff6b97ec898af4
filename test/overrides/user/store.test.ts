import {afterAll, beforeAll, describe} from 'vitest'
import {keepsChanges} from './behaviour/changes.ts'
import {losesNothing} from './behaviour/concurrency.ts'
import {encryptsSecrets} from './behaviour/encryption.ts'
import {exportsAndImports} from './behaviour/export.ts'
import {migrates} from './behaviour/migration.ts'
import {refusesServers} from './behaviour/postgres-refusals.ts'
import {refusesFiles} from './behaviour/sqlite-refusals.ts'
import {startServer, startSqlite, type TestDatabases} from './support/databases.ts'

const KINDS = [
  ['SQLite', startSqlite, refusesFiles],
  ['PostgreSQL', startServer, refusesServers],
] as const

describe.each(KINDS)('a store in %s', (_kind, start, refuses) => {
  let databases: TestDatabases
  beforeAll(async () => {
    databases = await start()
  })
  afterAll(() => databases.stop())
  const newLocation = () => databases.newLocation()

  keepsChanges(newLocation)
  encryptsSecrets(newLocation)
  exportsAndImports(newLocation)
  migrates(newLocation)
  losesNothing(newLocation)
  refuses(newLocation)
})

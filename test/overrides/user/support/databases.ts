import {randomUUID} from 'node:crypto'
import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {openStore, type StoreOptions} from '../../../../src/overrides/user/open.ts'
import type {Database} from '../../../../src/overrides/user/sql/database.ts'
import * as libraries from '../../../../src/overrides/user/sql/libraries.ts'
import {openPostgres} from '../../../../src/overrides/user/sql/postgres.ts'
import {openSqlite} from '../../../../src/overrides/user/sql/sqlite.ts'
import type {OverrideChange, OverrideStore} from '../../../../src/overrides/user/store.ts'
import {testDirectory} from '../../../support/test-directory.ts'
import {startPostgres} from './postgres.ts'

/** A started database of one kind. */
export interface TestDatabases {
  /** A location without a database. */
  newLocation(): Promise<string>
  stop(): Promise<void>
}

export async function startSqlite(): Promise<TestDatabases> {
  const directory = testDirectory()
  return {
    newLocation: async () => join(directory, randomUUID(), 'store.sqlite'),
    stop: () => rm(directory, {recursive: true}),
  }
}

export async function startServer(): Promise<TestDatabases> {
  const server = await startPostgres()
  return {newLocation: () => server.newDatabase(), stop: () => server.stop()}
}

export const KEY = Buffer.alloc(32, 'first key').toString('base64')
export const OTHER_KEY = Buffer.alloc(32, 'second key').toString('base64')

/** A store that is closed at the end of the test. */
export async function openTestStore(
  location: string,
  options: Partial<StoreOptions> = {},
): Promise<OverrideStore> {
  const store = await openStore({location, env: {}, key: KEY, ...options})
  onTestFinished(() => store.close())
  return store
}

/** The tables of a store, closed at the end of the test. */
export async function openTables(location: string): Promise<Database> {
  const database = location.startsWith('postgres:')
    ? await openPostgres({kind: 'postgres', url: location}, libraries)
    : await openSqlite(location, libraries)
  onTestFinished(() => database.db.destroy())
  return database
}

/** A change of `nova` in `openstack` by default. */
export function change(parts: Partial<OverrideChange>): OverrideChange {
  return {
    name: 'nova',
    namespace: 'openstack',
    who: 'ada',
    userOverrides: 'pod:\n  replicas: 2\n',
    expected: undefined,
    secret: false,
    ...parts,
  }
}

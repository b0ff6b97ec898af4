import type {Kysely} from 'kysely'
import {describe, expect, it} from 'vitest'
import * as libraries from '../../../../src/overrides/user/sql/libraries.ts'
import {MIGRATIONS, type MigrationName, migrate} from '../../../../src/overrides/user/sql/migrate.ts'
import {change, openTables, openTestStore} from '../support/databases.ts'

const EARLIER = (Object.keys(MIGRATIONS) as MigrationName[]).slice(0, -1)

export function migrates(newLocation: () => Promise<string>): void {
  describe('a database of another version', () => {
    it.each(EARLIER)('that ends with %s is migrated with all its data', async (version) => {
      const location = await newLocation()
      const old = await openTables(location)
      await migrate(old, libraries, version)
      const at = '2026-01-02T03:04:05.678Z'
      const row = {name: 'nova', namespace: 'openstack', user_overrides: 'a: 1\n', created_at: at}
      await old.db.insertInto('helm_overrides').values(row).execute()

      const store = await openTestStore(location)
      const got = await store.get('nova', 'openstack')
      await store.put(change({expected: got!.etag}))

      expect(got).toMatchObject({userOverrides: 'a: 1\n', createdAt: at, updatedAt: null})
      expect(await store.identity()).toMatchObject({state: 1, id: expect.stringMatching(/^[0-9a-f-]{36}$/)})
    })

    it('keeps its identity when it is reopened', async () => {
      const location = await newLocation()

      const first = await (await openTestStore(location)).identity()
      const second = await (await openTestStore(location)).identity()

      expect(second).toEqual(first)
    })

    it('that a newer kk has changed is refused', async () => {
      const location = await newLocation()
      await openTestStore(location)
      const {db} = await openTables(location)
      await (db as unknown as Kysely<{kk_migration: {name: string; timestamp: string}}>)
        .insertInto('kk_migration')
        .values({name: '999-future', timestamp: '2027-01-01T00:00:00.000Z'})
        .execute()

      await expect(openTestStore(location)).rejects.toMatchObject({
        code: 'KK_STORE_VERSION',
        message: expect.stringContaining('999-future'),
      })
    })
  })
}

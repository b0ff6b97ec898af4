import {inspect} from 'node:util'
import {sql} from 'kysely'
import {describe, expect, it, vi} from 'vitest'
import {change, openTables, openTestStore} from '../support/databases.ts'

export function refusesServers(newLocation: () => Promise<string>): void {
  describe('a server', () => {
    it.each([
      ['a wrong password', {password: 'hedgehog'}, 'password authentication failed'],
      ['a database that is not there', {pathname: '/nowhere'}, 'does not exist'],
      ['a port at which nobody listens', {port: '1'}, 'ECONNREFUSED'],
      ['TLS that the server does not speak', {search: 'sslmode=verify-full'}, 'SSL'],
    ])('with %s is reported, without the password', async (_what, parts, message) => {
      const location = Object.assign(new URL(await newLocation()), parts).href

      const error = await openTestStore(location).catch((each: unknown) => each)

      expect(error).toMatchObject({
        code: 'KK_STORE_DATABASE',
        message: expect.stringContaining(message),
        hint: expect.any(String),
      })
      expect(inspect(error, {depth: 9})).not.toMatch(/hedgehog|wood|pecker/)
    })

    it('that closes the connection between two changes is reconnected', async () => {
      const location = await newLocation()
      const store = await openTestStore(location)
      const made = await store.put(change({}))
      const {db} = await openTables(location)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db)

      const second = await vi.waitFor(() => store.put(change({userOverrides: 'a: 1\n', expected: made.etag})))

      expect(second).toMatchObject({userOverrides: 'a: 1\n'})
    })

    it('that closes connections during changes fails these, not the process', async () => {
      const location = await newLocation()
      const store = await openTestStore(location)
      const {db} = await openTables(location)
      const changes = Array.from({length: 200}, (_, index) =>
        store.update({name: `chart-${index}`, namespace: 'openstack', who: 'ada'}, () => ({
          userOverrides: 'a: 1\n',
          secret: false,
        })),
      )
      const ended = sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
      const outcomes = await Promise.allSettled(changes)
      await ended

      const written = outcomes.filter(({status}) => status === 'fulfilled')
      await vi.waitFor(async () => expect((await store.list()).length).toBeGreaterThanOrEqual(written.length))
    })
  })
}

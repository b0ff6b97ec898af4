import {existsSync, readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {change, KEY, OTHER_KEY, openTables, openTestStore} from '../support/databases.ts'

const SECRET = 'password: hedgehog\n'

export function encryptsSecrets(newLocation: () => Promise<string>): void {
  describe('secrets', () => {
    it('are nowhere in the database in clear text', async () => {
      const location = await newLocation()
      const store = await openTestStore(location)
      const made = await store.put(change({userOverrides: SECRET, secret: true}))
      await store.put(change({userOverrides: `other: 1\n${SECRET}`, secret: true, expected: made.etag}))
      await store.putSecret({name: 'admin', namespace: 'openstack', value: 'hedgehog'})

      const {db} = await openTables(location)
      const rows = [
        await db.selectFrom('helm_overrides').selectAll().execute(),
        await db.selectFrom('helm_overrides_audit').selectAll().execute(),
        await db.selectFrom('kk_secrets').selectAll().execute(),
      ]

      const files = [location, `${location}-wal`]
        .filter(existsSync)
        .map((file) => readFileSync(file, 'latin1'))
      expect(JSON.stringify(rows)).toContain('kk-sealed:v1:')
      expect(JSON.stringify(rows) + files.join('')).not.toContain('hedgehog')
      expect((await store.get('nova', 'openstack'))?.userOverrides).toContain('hedgehog')
      expect((await store.audit()).map(({before, after}) => [before, after])).toEqual([
        [SECRET, `other: 1\n${SECRET}`],
        [null, SECRET],
      ])
    })

    it('are stored once: a second writer gets the first value, unless it replaces it', async () => {
      const store = await openTestStore(await newLocation())
      const secret = {name: 'oslo_db.admin', namespace: 'openstack'}

      const first = await store.putSecret({...secret, value: 'one'})
      const second = await store.putSecret({...secret, value: 'two'})
      const third = await store.putSecret({...secret, value: 'three'}, {replace: true})

      expect(second).toEqual(first)
      expect(third.since >= first.since).toBe(true)
      expect([first.value, second.value, third.value]).toEqual(['one', 'one', 'three'])
      expect(await store.secrets()).toEqual([third])
    })

    it('are not encrypted with a key that decrypts no other value in use', async () => {
      const location = await newLocation()
      await (await openTestStore(location)).put(change({userOverrides: SECRET, secret: true}))
      const slip = await openTestStore(location, {key: OTHER_KEY})
      const cinder = change({name: 'cinder', userOverrides: SECRET, secret: true})

      await expect(slip.put(cinder)).rejects.toMatchObject({code: 'KK_STORE_KEY'})
      const secret = {name: 'admin', namespace: 'openstack', value: 'hedgehog'}
      await expect(slip.putSecret(secret)).rejects.toMatchObject({code: 'KK_STORE_KEY'})
      expect(await slip.put(change({name: 'glance', userOverrides: 'a: 1'}))).toMatchObject({name: 'glance'})
      expect(await slip.get('cinder', 'openstack')).toBeUndefined()
    })

    it('need a key, and no other data does', async () => {
      const location = await newLocation()
      const keyless = await openTestStore(location, {key: undefined})
      await keyless.put(change({}))
      const secret = change({name: 'cinder', userOverrides: SECRET, secret: true})

      expect(await keyless.list()).toHaveLength(1)
      await expect(keyless.put(secret)).rejects.toMatchObject({
        code: 'KK_STORE_KEY',
        exit: 2,
        hint: expect.stringContaining('openssl rand -base64 32'),
      })
      expect(await keyless.get('cinder', 'openstack')).toBeUndefined()

      await (await openTestStore(location)).put(secret)
      await expect(keyless.list()).rejects.toMatchObject({code: 'KK_STORE_KEY'})
    })

    it('are checked for missing keys beforehand, except those of the history', async () => {
      const location = await newLocation()
      const store = await openTestStore(location)
      const keyless = await openTestStore(location, {key: undefined})
      const other = await openTestStore(location, {key: OTHER_KEY})
      await keyless.put(change({userOverrides: "? 'kk-sealed:v1:01234567:x'\n: 1\n"}))
      await keyless.expectKeys()

      const made = await store.put(change({name: 'cinder', userOverrides: SECRET, secret: true}))
      await store.expectKeys()
      await expect(keyless.expectKeys()).rejects.toMatchObject({code: 'KK_STORE_KEY'})
      await expect(other.expectKeys()).rejects.toThrow(/was encrypted with key [0-9a-f]{8}, but key/)

      await store.put(change({name: 'cinder', userOverrides: null, expected: made.etag}))
      await keyless.expectKeys()
      await store.putSecret({name: 'admin', namespace: 'openstack', value: 'hedgehog'})
      await expect(other.expectKeys()).rejects.toMatchObject({code: 'KK_STORE_KEY'})
    })

    it('that need a key are named without their values; if others are encrypted, their key is requested', async () => {
      const location = await newLocation()
      const keyless = await openTestStore(location, {key: undefined})
      const secretAt = ['a', 'b', 'c', 'd'].map((key) => ['conf', key])
      const secret = change({userOverrides: SECRET, secret: true, secretAt})
      const message = expect.stringMatching(
        /^conf\.a, conf\.b, conf\.c and 1 more of nova in openstack are secret: (?!.*hedgehog).*no key was given$/,
      )

      await expect(keyless.put(secret)).rejects.toMatchObject({
        message,
        hint: expect.stringMatching(/^make a key/),
      })
      await (await openTestStore(location)).put(change({name: 'cinder', userOverrides: SECRET, secret: true}))
      const hint = expect.stringMatching(/^set the key with which the store was encrypted/)
      await expect(keyless.put(secret)).rejects.toMatchObject({message, hint})
      await expect(keyless.get('cinder', 'openstack')).rejects.toMatchObject({hint})
    })

    it('are read with an old key that follows the new one, and are written with the new one', async () => {
      const location = await newLocation()
      const made = await (await openTestStore(location)).put(change({userOverrides: SECRET, secret: true}))
      const another = await openTestStore(location, {key: OTHER_KEY})
      const both = await openTestStore(location, {key: `${OTHER_KEY}\n${KEY}\n`})

      await expect(another.list()).rejects.toThrow(
        /encrypted with key [0-9a-f]{8}, but key [0-9a-f]{8} was given/,
      )
      await both.put(change({userOverrides: `${SECRET}more: 1\n`, secret: true, expected: made.etag}))

      expect(await another.get('nova', 'openstack')).toMatchObject({userOverrides: `${SECRET}more: 1\n`})
    })

    it('that were moved to another row are not read', async () => {
      const location = await newLocation()
      const store = await openTestStore(location)
      const {sealed} = await store.put(change({userOverrides: SECRET, secret: true}))
      const moved = change({name: 'cinder', userOverrides: sealed!})
      const {db} = await openTables(location)
      await db.updateTable('helm_overrides').set({name: 'keystone'}).execute()

      await expect(store.put(moved)).rejects.toMatchObject({code: 'KK_STORE_KEY'})
      await expect(store.get('keystone', 'openstack')).rejects.toThrow('damaged, or was moved there')
    })

    it('are unchanged after a put of their encrypted form', async () => {
      const store = await openTestStore(await newLocation())
      const {sealed, etag} = await store.put(change({userOverrides: SECRET, secret: true}))
      const deleted = await store.put(change({userOverrides: null, expected: etag}))

      const again = await store.put(change({userOverrides: sealed!, expected: deleted.etag}))

      expect(again.userOverrides).toBe(SECRET)
      expect(again.sealed).toBeDefined()
    })
  })
}

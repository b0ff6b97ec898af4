import {describe, expect, it} from 'vitest'
import {change, openTables, openTestStore} from '../support/databases.ts'

export function keepsChanges(newLocation: () => Promise<string>): void {
  describe('changes', () => {
    it('are read by name and namespace after the store was reopened', async () => {
      const location = await newLocation()
      const first = await openTestStore(location)
      const put = await first.put(change({userOverrides: 'text: "日本 \\t ümlaut"\n'}))
      const second = await openTestStore(location)

      const got = await second.get('nova', 'openstack')

      expect(got).toEqual(put)
      expect(got?.userOverrides).toBe('text: "日本 \\t ümlaut"\n')
      expect(await second.get('nova', 'kube-system')).toBeUndefined()
    })

    it('are listed by name, then namespace, whatever the locale of the database', async () => {
      const store = await openTestStore(await newLocation())
      for (const [name, namespace] of [
        ['nova-api', 'a'],
        ['ingress', 'openstack'],
        ['novab', 'a'],
        ['ingress', 'kube-system'],
        ['Zun', 'a'],
      ] as const)
        await store.put(change({name, namespace}))

      const listed = (await store.list()).map(({name, namespace}) => `${name} ${namespace}`)

      expect(listed).toEqual(['Zun a', 'ingress kube-system', 'ingress openstack', 'nova-api a', 'novab a'])
    })

    it('are in the table of the specification, column by column', async () => {
      const location = await newLocation()
      await (await openTestStore(location)).put(change({}))

      const [row] = await (await openTables(location)).db.selectFrom('helm_overrides').selectAll().execute()

      expect(Object.keys(row!).sort()).toEqual([
        'created_at',
        'deleted_at',
        'id',
        'name',
        'namespace',
        'updated_at',
        'user_overrides',
      ])
      expect(row).toMatchObject({
        name: 'nova',
        namespace: 'openstack',
        user_overrides: 'pod:\n  replicas: 2\n',
      })
    })

    it('keep the row of deleted overrides, and the next change clears the deletion', async () => {
      const store = await openTestStore(await newLocation())
      const made = await store.put(change({}))

      const deleted = await store.put(change({userOverrides: null, expected: made.etag}))
      const listed = await store.list()
      const again = await store.put(change({userOverrides: 'a: 1\n', expected: deleted.etag}))

      expect(deleted).toMatchObject({userOverrides: null, createdAt: made.createdAt})
      expect(deleted.deletedAt).toMatch(/^\d{4}-\d\d-\d\dT/)
      expect(listed).toEqual([])
      expect(again).toMatchObject({userOverrides: 'a: 1\n', deletedAt: null, createdAt: made.createdAt})
      expect(again.updatedAt).not.toBeNull()
    })

    it('that are based on another state are refused without being written', async () => {
      const store = await openTestStore(await newLocation())
      const made = await store.put(change({}))
      const second = await store.put(change({userOverrides: 'a: 1\n', expected: made.etag}))
      const late = change({userOverrides: 'a: 2\n', expected: made.etag})

      await expect(store.put(late)).rejects.toMatchObject({code: 'KK_STORE_CONFLICT', exit: 1})
      await expect(store.put({...late, expected: undefined})).rejects.toMatchObject({
        code: 'KK_STORE_CONFLICT',
      })
      await expect(store.put(change({name: 'cinder', expected: made.etag}))).rejects.toMatchObject({
        code: 'KK_STORE_CONFLICT',
      })

      expect(await store.get('nova', 'openstack')).toEqual(second)
      expect(await store.identity()).toMatchObject({state: 2})
    })

    it('without effect are not written', async () => {
      const store = await openTestStore(await newLocation())
      const made = await store.put(change({}))

      const same = await store.put(change({expected: made.etag}))
      const nothing = await store.put(change({name: 'cinder', userOverrides: null}))

      expect(same).toEqual(made)
      expect(nothing.userOverrides).toBeNull()
      expect(await store.get('cinder', 'openstack')).toBeUndefined()
      expect(await store.identity()).toMatchObject({state: 1})
    })

    it('are listed with their authors, the newest first', async () => {
      const store = await openTestStore(await newLocation())
      const made = await store.put(change({who: 'ada'}))
      await store.put(change({name: 'cinder', userOverrides: 'x: 1\n', who: 'bob'}))
      await store.put(change({userOverrides: null, expected: made.etag, who: 'eve'}))

      const all = await store.audit()
      const ofNova = await store.audit({name: 'nova', namespace: 'openstack'})

      expect(all.map(({who, name, before, after}) => [who, name, before, after])).toEqual([
        ['eve', 'nova', 'pod:\n  replicas: 2\n', null],
        ['bob', 'cinder', null, 'x: 1\n'],
        ['ada', 'nova', null, 'pod:\n  replicas: 2\n'],
      ])
      expect(ofNova.map(({who}) => who)).toEqual(['eve', 'ada'])
      const [, second] = all
      expect(await store.audit(undefined, {limit: 1, before: second!.id + 1})).toEqual([second])
      expect(await store.audit({name: 'no\0va', namespace: 'openstack'})).toEqual([])
      expect(ofNova[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    })

    it('of one transaction are written completely or not at all', async () => {
      const store = await openTestStore(await newLocation())
      const good = change({name: 'cinder'})
      const bad = change({expected: 'something else'})
      const secret = {name: 'password', namespace: 'openstack', value: 'x'}

      const written = store.putAll({changes: [good, bad], secrets: [secret], identity: undefined})

      await expect(written).rejects.toMatchObject({code: 'KK_STORE_CONFLICT'})
      expect(await store.list()).toEqual([])
      expect(await store.secrets()).toEqual([])
      expect(await store.identity()).toMatchObject({state: 0})
    })

    it.each(['', 'x'.repeat(256), 'a\0b'])('of a chart with an invalid name are refused', async (name) => {
      const store = await openTestStore(await newLocation())

      await expect(store.put(change({name}))).rejects.toMatchObject({code: 'KK_USAGE'})
    })

    it('belong to one cluster, until another replaces it', async () => {
      const store = await openTestStore(await newLocation())
      await store.bind('uid-1')
      await store.bind('uid-1')

      await expect(store.bind('uid-2')).rejects.toMatchObject({
        code: 'KK_STORE',
        exit: 3,
        message: expect.stringContaining('to uid-1, not to uid-2'),
      })
      expect(await store.identity()).toMatchObject({cluster: 'uid-1'})

      await store.bind('uid-2', {replace: true})
      expect(await store.identity()).toMatchObject({cluster: 'uid-2'})
    })
  })
}

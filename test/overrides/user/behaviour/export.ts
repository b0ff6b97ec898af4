import {describe, expect, it} from 'vitest'
import {exportStore} from '../../../../src/overrides/user/document.ts'
import {importStore} from '../../../../src/overrides/user/import.ts'
import {readYaml} from '../../../../src/yaml/yaml.ts'
import {change, openTestStore} from '../support/databases.ts'

const PLAIN = 'pod:\n  replicas: 2\n'
const SECRET = 'password: hedgehog\n'
const IMPORT = {who: 'ada', file: 'store.yaml'}

export function exportsAndImports(newLocation: () => Promise<string>): void {
  async function filledStore() {
    const store = await openTestStore(await newLocation())
    await store.put(change({userOverrides: PLAIN}))
    await store.put(change({name: 'ingress', namespace: 'kube-system', userOverrides: "'y': '1e3'\n"}))
    await store.put(change({name: 'keystone', userOverrides: SECRET, secret: true}))
    await store.putSecret({name: 'admin', namespace: 'openstack', value: 'badger'})
    await store.bind('uid-1')
    return store
  }

  describe('an export', () => {
    it('is one YAML document, in which secrets stay encrypted', async () => {
      const store = await filledStore()
      const {id} = await store.identity()

      const text = await exportStore(store)

      expect(readYaml(text)).toEqual({
        version: 1,
        store: id,
        cluster: 'uid-1',
        state: 3,
        overrides: {
          ingress: {'kube-system': {y: '1e3'}},
          keystone: {openstack: expect.stringMatching(/^kk-sealed:v1:/)},
          nova: {openstack: {pod: {replicas: 2}}},
        },
      })
      expect(text).not.toMatch(/hedgehog|badger/)
    })

    it.each([false, true])(
      'turns an empty store into the same one (secrets in the clear: %s)',
      async (secrets) => {
        const store = await filledStore()
        const empty = await openTestStore(await newLocation())

        const imported = await importStore(empty, await exportStore(store, {secrets}), IMPORT)

        const shown = async (of: typeof store) =>
          (await of.list()).map(({name, namespace, userOverrides}) => [name, namespace, userOverrides])
        expect(imported.overrides).toHaveLength(3)
        expect(imported.secrets).toHaveLength(secrets ? 1 : 0)
        expect(imported.becomes).toBe((await store.identity()).id)
        expect(await shown(empty)).toEqual(await shown(store))
        expect(await empty.identity()).toEqual(await store.identity())
        const kept = async (of: typeof store) => (await of.secrets()).map(({since, ...secret}) => secret)
        expect(await kept(empty)).toEqual(secrets ? await kept(store) : [])
      },
    )

    it('changes only differing overrides, and deletes missing ones with prune', async () => {
      const store = await filledStore()
      const text = await exportStore(store)
      const before = await store.identity()
      const nova = await store.get('nova', 'openstack')
      await store.put(change({userOverrides: 'a: 1\n', expected: nova!.etag}))
      await store.put(change({name: 'heat', userOverrides: 'a: 1\n'}))

      const told = await importStore(store, text, {...IMPORT, prune: true, dryRun: true})
      const untouched = await store.identity()
      const changes = await importStore(store, text, {...IMPORT, prune: true})
      const again = await importStore(store, text, {...IMPORT, prune: true})

      expect(changes.overrides.map(({name, userOverrides}) => [name, userOverrides])).toEqual([
        ['nova', PLAIN],
        ['heat', null],
      ])
      expect(told).toEqual(changes)
      expect(untouched.state).toBe(before.state + 2)
      expect(again).toEqual({overrides: [], secrets: [], becomes: undefined})
      expect(await store.identity()).toEqual({...before, state: before.state + 4})
      expect(await store.audit({name: 'heat', namespace: 'openstack'})).toMatchObject([
        {who: 'ada', after: null},
        {},
      ])
    })

    it('keeps encryption only for overrides with a value at the path of an encrypted one', async () => {
      const store = await openTestStore(await newLocation())
      await store.put(change({userOverrides: 'conf:\n  one: hunter2\n', secret: true}))
      const plain = (values: string) => `version: 1\noverrides: {nova: {openstack: ${values}}}\n`

      await importStore(store, plain('{conf: {one: 1, two: 2}}'), IMPORT)
      const same = await store.get('nova', 'openstack')
      await importStore(store, plain('{conf: {three: 3}}'), IMPORT)
      const other = await store.get('nova', 'openstack')

      expect(same!.sealed).toBeDefined()
      expect(other!.sealed).toBeUndefined()
    })

    it('is refused before anything is written if its last part is invalid', async () => {
      const store = await openTestStore(await newLocation())
      const text =
        'version: 1\noverrides:\n  heat: {openstack: {a: 1}}\n  nova: {openstack: kk-sealed:v1:00000000:AAAA}\n'

      await expect(importStore(store, text, IMPORT)).rejects.toMatchObject({code: 'KK_STORE_KEY'})
      await expect(importStore(store, text.replace('kk-sealed:', ''), IMPORT)).rejects.toMatchObject({
        code: 'KK_VALUES',
      })

      expect(await store.identity()).toMatchObject({state: 0})
      expect(await store.list()).toEqual([])
    })
  })
}

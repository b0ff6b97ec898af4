import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {readYaml} from '../../../../src/yaml/yaml.ts'
import {change, openTestStore} from '../support/databases.ts'

const WRITER = join(import.meta.dirname, '../support/writer.ts')
const PROCESSES = 5
const UPDATES = 10

export function losesNothing(newLocation: () => Promise<string>): void {
  describe('concurrent changes', () => {
    it(`${PROCESSES} processes create the store and make ${PROCESSES * UPDATES} updates of one chart, and lose none`, async () => {
      const location = await newLocation()
      const writers = Array.from({length: PROCESSES}, (_, index) => `writer${index}`)

      await Promise.all(
        writers.map((who) =>
          execa(process.execPath, [WRITER, location, who, String(UPDATES)], {stdin: 'ignore'}),
        ),
      )

      const store = await openTestStore(location)
      const stored = await store.get('nova', 'openstack')
      const history = (await store.audit()).toReversed()
      const expected = writers.flatMap((who) =>
        Array.from({length: UPDATES}, (_, index) => `${who}-${index}`),
      )
      expect(Object.keys(readYaml(stored!.userOverrides!) as object).sort()).toEqual(expected.sort())
      expect(history).toHaveLength(expected.length)
      expect(history.map(({before}) => before)).toEqual([
        null,
        ...history.slice(0, -1).map(({after}) => after),
      ])
      expect(await store.identity()).toMatchObject({state: expected.length})
    })

    it('one store applies 50 updates of 10 charts concurrently', async () => {
      const store = await openTestStore(await newLocation())
      const charts = Array.from({length: 10}, (_, index) => `chart${index}`)

      await Promise.all(
        Array.from({length: 50}, (_, index) =>
          store.update({name: charts[index % 10]!, namespace: 'openstack', who: 'ada'}, (current) => ({
            userOverrides: `${current?.userOverrides ?? ''}key${index}: 1\n`,
            secret: index % 2 === 0,
          })),
        ),
      )

      const lines = (await store.list()).flatMap(({userOverrides}) => userOverrides!.trim().split('\n'))
      expect(lines.sort()).toEqual(Array.from({length: 50}, (_, index) => `key${index}: 1`).sort())
    })

    it('a refused change prevents no other from being written, at the same time or later', async () => {
      const store = await openTestStore(await newLocation())
      const refusal = new Error('somebody else was faster')
      const made = await store.put(change({name: 'late'}))
      const add = (name: string) =>
        store.update({name, namespace: 'openstack', who: 'ada'}, () => {
          if (name === 'broken') throw refusal
          return {userOverrides: `${name}: 1\n`, secret: false}
        })

      const outcomes = await Promise.allSettled([
        add('a'),
        add('b').then(() => add('d')),
        add('broken'),
        store.put(change({name: 'late', userOverrides: 'late: 2\n', expected: 'another state'})),
        add('c'),
      ])
      await add('e')

      expect(outcomes.map(({status}) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ])
      expect(outcomes[2]).toMatchObject({reason: refusal})
      expect(outcomes[3]).toMatchObject({reason: {code: 'KK_STORE_CONFLICT'}})
      expect((await store.list()).map(({name}) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'late'])
      expect(await store.get('late', 'openstack')).toEqual(made)
      expect(await store.identity()).toMatchObject({state: 6})
    })

    it('two changes that add the same secret both get the stored one', async () => {
      const location = await newLocation()
      const stores = [await openTestStore(location), await openTestStore(location)]
      const secret = {name: 'admin', namespace: 'openstack'}

      const got = await Promise.all(
        stores.map((store, index) => store.putSecret({...secret, value: `from ${index}`})),
      )

      expect(got[0]).toEqual(got[1])
      expect(await stores[0]!.secrets()).toEqual([got[0]])
    })
  })
}

import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {Leases} from '../../src/kubernetes/lease/leases.ts'
import type {Records} from '../../src/kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import {usesReader} from '../../src/prepare/uses-reader.ts'
import {id} from '../graph/graph-of.ts'
import {port} from '../kubernetes/support/port.ts'
import {bareRecord, desiredOf, recordOf} from '../plan/fixtures.ts'

type Stored = Records['stored']

const stored = (record: ReleaseRecord, manifest = ''): StoredRelease => ({
  ...record,
  manifest,
  values: {},
  hooks: [],
  chart: {name: 'a', version: '1', appVersion: ''},
  applyMethod: undefined,
})

const mariadb = recordOf(desiredOf('mariadb'))
const keystone = recordOf(desiredOf('keystone', {requires: ['mariadb']}))

const NO_LEASES = port<Leases>({read: async () => undefined, now: () => 0})

function readerOf(lists: readonly (readonly ReleaseRecord[])[], read: Stored) {
  const answers = [...lists]
  const asked: string[] = []
  const everyRecord = async () => ({records: answers.length > 1 ? answers.shift()! : answers[0]!, strays: []})
  const counted: Stored = (release, revision) => {
    asked.push(`${release} ${revision}`)
    return read(release, revision)
  }
  return {
    asked,
    readUses: usesReader(
      {
        records: port({
          every: everyRecord,
          stored: counted,
        }),
        leases: NO_LEASES,
      },
      new Set(),
    ),
  }
}

const byRelease =
  (...records: readonly ReleaseRecord[]): Stored =>
  async (release) => {
    const record = records.find((each) => each.release === release)
    return record && stored(record)
  }

describe('the reader of uses', () => {
  it('reads the cluster at each call, but downloads each record once', async () => {
    const changed = {...keystone, revision: 3, secret: {...keystone.secret, uid: 'new'}, labels: {}}
    const {asked, readUses} = readerOf(
      [
        [keystone, mariadb],
        [keystone, mariadb],
        [changed, mariadb],
      ],
      byRelease(keystone, mariadb),
    )

    await readUses()
    const before = await readUses()
    const after = await readUses()

    expect(before.graph.requirements.get(id('keystone'))).toMatchObject([{to: 'openstack/mariadb'}])
    expect(after.graph.requirements.get(id('keystone'))).toEqual([])
    expect(asked.sort()).toEqual(['openstack/keystone 2', 'openstack/keystone 3', 'openstack/mariadb 2'])
  })

  it('reads again if a record was deleted while others were read', async () => {
    const {readUses} = readerOf([[keystone, mariadb], [mariadb]], byRelease(mariadb))

    const {observed} = await readUses()

    expect([...observed.keys()]).toEqual(['openstack/mariadb'])
  })

  it.each(['KK_RECORD', 'KK_FORBIDDEN'] as const)(
    'cannot be known of a record that gives %s',
    async (code) => {
      const read: Stored = async () => {
        throw new KkError(code, 'it cannot be read')
      }
      const {readUses} = readerOf([[mariadb]], read)

      expect((await readUses()).unknown).toEqual([{name: 'openstack/mariadb', reason: 'it cannot be read'}])
    },
  )

  it('rejects if the cluster does not answer', async () => {
    const read: Stored = async () => {
      throw new KkError('KK_UNREACHABLE', 'no answer')
    }

    await expect(readerOf([[mariadb]], read).readUses()).rejects.toMatchObject({code: 'KK_UNREACHABLE'})
  })

  it('returns releases in a namespace that is deleted with a release', async () => {
    const base = bareRecord(id('other/base'))
    const manifest =
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: openstack}\n---\n' +
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: kept, annotations: {helm.sh/resource-policy: keep}}\n'
    const read: Stored = async (release) =>
      release === base.release ? stored(base, manifest) : stored(mariadb)
    const {readUses} = readerOf([[mariadb, base]], read)

    const {graph, observed} = await readUses()

    expect(graph.requirements.get(id('mariadb'))).toMatchObject([{to: 'other/base'}])
    expect(observed.get(base.release)?.namespaces).toEqual(['openstack'])
  })
})

it('the reader of uses rejects without permission to list all records', async () => {
  const everyRecord = async () => {
    throw new KkError('KK_FORBIDDEN', 'may not list secrets')
  }
  const readUses = usesReader(
    {
      records: port({
        every: everyRecord,
        stored: async () => undefined,
      }),
      leases: NO_LEASES,
    },
    new Set(),
  )

  await expect(readUses()).rejects.toMatchObject({code: 'KK_HAS_DEPENDENTS', exit: 3})
})

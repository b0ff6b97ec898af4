import {expect, it} from 'vitest'
import type {Leases} from '../../src/kubernetes/lease/leases.ts'
import type {Records} from '../../src/kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import {observedRecords} from '../../src/prepare/observed-records.ts'
import {port} from '../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'

const keystone = desiredOf('keystone')
const hook = (events: string) =>
  JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name: events, annotations: {'helm.sh/hook': events}},
  })

type Revision = Pick<StoredRelease, 'status'> & {
  readonly openHooks?: readonly string[]
  readonly upgrade?: true
}

/** The hooks that count as lost with these revisions, from the first to the last. */
async function lostIn(...revisions: readonly Revision[]) {
  const stored = revisions.map(({status, openHooks = [], upgrade = false}, index) => ({
    ...recordOf(keystone, {revision: index + 1, status}),
    openHooks: openHooks.map(hook),
    isInstall: !upgrade,
  }))
  const last: ReleaseRecord = stored.at(-1)!
  const cluster = {
    leases: port<Leases>({read: async () => undefined, now: () => 0}),
    records: port<Records>({
      last: async () => last,
      stored: async (_, revision) => stored[revision! - 1] as unknown as StoredRelease,
    }),
  }
  const [observed] = await observedRecords(cluster, [last], () => true)
  return observed?.lostHooks
}

const OPEN = ['pre-install', 'post-install']

it.each<[string, readonly Revision[], readonly string[] | undefined]>([
  ['the install failed', [{status: 'failed', openHooks: OPEN}], ['Job/pre-install', 'Job/post-install']],
  [
    'the install was interrupted',
    [{status: 'pending-install', openHooks: ['post-install']}],
    ['Job/post-install'],
  ],
  [
    'a later upgrade failed, too',
    [
      {status: 'failed', openHooks: ['post-install']},
      {status: 'failed', upgrade: true, openHooks: OPEN},
    ],
    ['Job/post-install'],
  ],
  [
    'a revision was deployed since',
    [{status: 'superseded'}, {status: 'failed', upgrade: true, openHooks: OPEN}],
    undefined,
  ],
  ['an upgrade runs the hook', [{status: 'failed', openHooks: ['post-install,post-upgrade']}], undefined],
  ['the hook is for another event', [{status: 'failed', openHooks: ['post-upgrade', 'test']}], undefined],
  ['it completed', [{status: 'failed'}], undefined],
  ['the release is deployed', [{status: 'deployed', openHooks: OPEN}], undefined],
])('lost hooks of an install are detected: %s', async (_, revisions, lost) => {
  expect(await lostIn(...revisions)).toEqual(lost)
})

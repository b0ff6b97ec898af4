import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {HealthChecks} from '../../src/kubernetes/gate/health-checks.ts'
import type {AwayNode} from '../../src/kubernetes/gate/nodes.ts'
import type {Records} from '../../src/kubernetes/records/records.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import type {Action} from '../../src/plan/plan.ts'
import type {ReleaseId} from '../../src/release.ts'
import {allowanceNotes, awayNodeNotes, returnedNodes} from '../../src/verbs/away-nodes.ts'
import {port} from '../kubernetes/support/port.ts'
import {bareRecord} from '../plan/fixtures.ts'

const release: ReleaseId = 'openstack/libvirt'
const MANIFEST = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: libvirt
  annotations: {kk.openstack.org/roll: node-by-node}
spec: {updateStrategy: {type: OnDelete}}
`
const action = (kind: Action['kind']) => ({kind, release, reasons: []}) as unknown as Action

describe('the nodes that are away', () => {
  const notes = (away: () => Promise<readonly AwayNode[] | undefined>, kind: Action['kind'] = 'upgrade') =>
    awayNodeNotes([action(kind)], new Map([[release, [{manifest: MANIFEST} as StoredRelease]]]), {
      health: port<HealthChecks>({awayNodes: away}),
    })
  const dead: AwayNode = {node: 'c', reason: 'NotReady', since: '2026-11-29T09:00:00Z'}

  it('are named in the plan, with the DaemonSets that are upgraded', async () => {
    expect(await notes(async () => [dead])).toEqual([
      'pods are not awaited on node c (NotReady since 2026-11-29T09:00:00Z): DaemonSet/libvirt of libvirt',
    ])
  })

  it.each<[string, () => Promise<readonly AwayNode[] | undefined>, Action['kind']]>([
    ['if none is', async () => [], 'upgrade'],
    ['if they may not be listed', async () => undefined, 'upgrade'],
    ['if the list is forbidden', () => Promise.reject(new KkError('KK_FORBIDDEN', 'no')), 'upgrade'],
    ['if nothing is upgraded', async () => [dead], 'unchanged'],
  ])('are not named %s', async (_, away, kind) => {
    expect(await notes(away, kind)).toEqual([])
  })
})

describe('nodes that were left behind', () => {
  const marked = {...bareRecord(release, 4), labels: {'kk.openstack.org/left-behind': '4'}}
  const back = (outdated: readonly string[], record = marked) =>
    returnedNodes({actions: [action('unchanged')]}, [record], {
      records: port<Records>({stored: async () => ({manifest: MANIFEST}) as StoredRelease}),
      health: port<HealthChecks>({
        nodeRolls: async () => [
          {
            set: 'DaemonSet/libvirt',
            namespace: 'openstack',
            nodes: 3,
            ready: 2,
            awaited: [],
            deletable: 1,
            isSettled: true,
            outdated: outdated.map((node) => ({
              apiVersion: 'v1',
              kind: 'Pod',
              namespace: 'openstack',
              name: `libvirt-${node}`,
              uid: node,
              node,
            })),
          },
        ],
      }),
    })

  it('are taken by the next run when they are back', async () => {
    expect([...(await back(['c']))]).toEqual([
      [release, {kind: 'await', reasons: ['nodes that were left behind are back: c']}],
    ])
  })

  it('change nothing while they are away', async () => {
    expect([...(await back([]))]).toEqual([])
  })

  it('are of the marked revision only', async () => {
    expect([...(await back(['c'], {...marked, revision: 5}))]).toEqual([])
  })
})

it.each([
  [2, 'upgrade', 'its gate lets 2 of the pods'],
  ['5%', 'check', 'its gate lets 5% of the pods'],
] as const)('the plan names the allowance %s of a release', (unavailable, kind, text) => {
  const releases = new Map([[release, {unavailable}]])

  expect(allowanceNotes([action(kind)], {releases})).toEqual([expect.stringContaining(text)])
})

it.each([
  [undefined, 'upgrade'],
  [0, 'upgrade'],
  [2, 'unchanged'],
] as const)('the plan does not name the allowance %s of a release that is %s', (unavailable, kind) => {
  expect(allowanceNotes([action(kind)], {releases: new Map([[release, {unavailable}]])})).toEqual([])
})

import {expect, it} from 'vitest'
import {type Lease, leaseName} from '../../../src/kubernetes/lease/lease.ts'
import {HOLDER, OPERATION} from '../../../src/kubernetes/lease/operation.ts'
import {isLive, viewLease} from '../../../src/kubernetes/lease/view.ts'
import type {PlacedProcess} from '../../../src/state/processes/process-place.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'
import {upgradeBy} from './lease-view.ts'

const RELEASE = 'openstack/keystone'
const POD = {namespace: 'kk-system', name: 'kk-run-1-x', uid: 'u1'}
const inPod: PlacedProcess = {host: POD.name, pid: 7, started: '1', pod: POD}
const SECOND = 1_000

interface Given {
  /** In seconds. */
  readonly renewedAgo?: number
  readonly holder?: PlacedProcess
  readonly pod?: {readonly uid: string; readonly phase: string} | 'forbidden' | undefined
}

/** What is seen of the processes behind a Lease whose helm was started by a kk in a pod. */
async function seen({renewedAgo = 180, holder = inPod, pod}: Given) {
  const lease: Lease = {
    metadata: {
      name: leaseName(RELEASE),
      annotations: {
        [HOLDER]: JSON.stringify({holder: 'kk', ...holder}),
        [OPERATION]: JSON.stringify(upgradeBy(POD.name, {deadline: 0, kk: inPod})),
      },
    },
    spec: {
      holderIdentity: 'kk',
      leaseDurationSeconds: 60,
      renewTime: new Date(Date.now() - renewedAgo * SECOND).toISOString(),
    },
  }
  const {client} = await scriptedServer(({path}, response) => {
    if (path.includes('/leases/')) return json(response, lease)
    if (pod === 'forbidden') return refuse(response, 403, 'forbidden')
    if (!pod) return refuse(response, 404, 'not found')
    json(response, {metadata: {uid: pod.uid}, status: {phase: pod.phase}})
  })
  const view = await viewLease(client, RELEASE)
  const {holder: ofHolder, operation} = view!.processes
  return {holder: ofHolder, kk: operation?.kk, helm: operation?.helm.state}
}

const GONE = {holder: 'gone', kk: 'gone', helm: 'gone'}
const UNSEEN = {holder: 'unseen', kk: 'unseen', helm: 'unseen'}

it.each<[string, Given, object]>([
  ['is deleted', {}, GONE],
  ['has failed', {pod: {uid: 'u1', phase: 'Failed'}}, GONE],
  ['has given its name to another', {pod: {uid: 'u2', phase: 'Running'}}, GONE],
  ['runs', {pod: {uid: 'u1', phase: 'Running'}}, UNSEEN],
  ['may not be read', {pod: 'forbidden'}, UNSEEN],
  ['is deleted before its Lease expires', {renewedAgo: 30}, UNSEEN],
  [
    'is deleted, and whose Lease has another holder',
    {renewedAgo: 5, holder: {host: 'laptop', pid: 8, started: '2'}},
    {holder: 'unseen', kk: 'gone', helm: 'gone'},
  ],
])('the processes of a pod that %s are reported as unseen or gone', async (_, given, expected) => {
  expect(await seen(given)).toEqual(expected)
})

it.each([
  ['is held, and not over', {}, true],
  ['was given back', {holder: undefined}, false],
  ['was never renewed', {runsOut: undefined}, false],
  ['is over', {runsOut: 999}, false],
  ['is of a process that is gone', {processes: {holder: 'gone'}}, false],
] as const)('a Lease that %s is live: %3$s', (_, more, expected) => {
  const lease = {holder: 'kk', runsOut: 1_001, processes: {holder: 'unseen'}} as const

  expect(isLive({...lease, ...more}, 1_000)).toBe(expected)
})

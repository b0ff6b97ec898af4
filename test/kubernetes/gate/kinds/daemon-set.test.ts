import {describe, expect, it} from 'vitest'
import {daemonSetHealth} from '../../../../src/kubernetes/gate/kinds/daemon-set.ts'
import {
  around,
  controlledBy,
  daemonPod,
  daemonSet,
  NOW,
  node,
  STATED,
  waitingFor,
  workload,
} from '../../support/objects.ts'

const done = {desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3}

describe('the health of a DaemonSet', () => {
  it.each([['a pod of the new template is available on every node', {status: done}]])(
    'is healthy when %s',
    (_, given) => {
      expect(daemonSetHealth(workload('DaemonSet', given), around(), STATED)).toEqual({state: 'healthy'})
    },
  )

  it('is healthy without a matching node, with a note', () => {
    const set = workload('DaemonSet', {status: {desiredNumberScheduled: 0}})

    expect(daemonSetHealth(set, around(), STATED)).toEqual({
      state: 'healthy',
      notes: [
        {
          object: 'DaemonSet/api',
          namespace: 'openstack',
          message: 'no node matches it, so it has no pods',
          reason: 'NoNodes',
        },
      ],
    })
  })

  it('is partial while pods that no controller replaces are of an older version', () => {
    const status = {...done, updatedNumberScheduled: 1}
    const set = workload('DaemonSet', {spec: {updateStrategy: {type: 'OnDelete'}}, status})

    expect(daemonSetHealth(set, around(), STATED)).toMatchObject({
      state: 'partial',
      notes: [{message: '1 of 3 pods are of its current version (OnDelete)'}],
    })
  })

  it.each([
    ['its controller has not seen the change yet', {status: done, observed: 1}],
    ['1 of 3 pods are updated', {status: {...done, updatedNumberScheduled: 1}}],
    ['2 of 3 pods are available', {status: {...done, numberAvailable: 2}}],
  ])('is waiting while %s', (message, given) => {
    expect(daemonSetHealth(workload('DaemonSet', given), around(), STATED)).toMatchObject({
      state: 'waiting',
      blames: [{message}],
    })
  })

  it('is awaited on each node if the nodes may not be read, which is reported', () => {
    const {nodes: _, ...unread} = around()
    const set = workload('DaemonSet', {status: {...done, numberAvailable: 2}})

    expect(daemonSetHealth(set, unread, STATED)).toMatchObject({
      blames: [{message: '2 of 3 pods are available; the nodes may not be read, so each is awaited'}],
    })
  })
})

const DEAD = {notReadyFor: 3_600}
const UNREADY = {phase: 'Running', conditions: [{type: 'Ready', status: 'False'}]}
/** Tolerations of all taints: the DaemonSet counts nodes that are not ready, too. */
const ALL = {tolerations: [{operator: 'Exists'}]}
const uncounted = {desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}
const counted = {desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 2}

describe('a DaemonSet with a node that is away', () => {
  const present = [daemonPod('a', 2), daemonPod('b', 2)]
  const nodes = (state: Parameters<typeof node>[1]) => [node('a'), node('b'), node('c', state)]
  const healthOf = (status: object, pods = present, of = nodes(DEAD)) =>
    daemonSetHealth(daemonSet(status), around(pods, [], of), STATED)

  it.each([
    ['is not ready, and not counted', uncounted, daemonPod('c', 1, UNREADY), DEAD, 'NotReady'],
    ['is not ready, but counted', counted, daemonPod('c', 1, UNREADY, ALL), DEAD, 'NotReady'],
    ['is cordoned', counted, daemonPod('c', 1, UNREADY), {isCordoned: true}, 'Cordoned'],
    [
      'is being deleted',
      counted,
      daemonPod('c', 1, UNREADY),
      {deletionTimestamp: '2026-01-01T12:00:00Z'},
      'BeingDeleted',
    ],
  ])(
    'is partial if the node %s, and names it with the revision of its pod',
    (_, status, pod, state, reason) => {
      expect(healthOf(status, [...present, pod], nodes(state))).toMatchObject({
        state: 'partial',
        notes: [
          {
            message: `node c (${reason}, old version) is left behind`,
            reason: 'NodesLeftBehind',
            leftBehind: [{node: 'c', reason, pod: 'agent-c', revision: 'hash-1', isCurrent: false}],
          },
        ],
      })
    },
  )

  it('is partial if the pod there is of the current version, but not ready', () => {
    const pods = [...present, daemonPod('c', 2, UNREADY, ALL)]

    expect(healthOf({...counted, updatedNumberScheduled: 3}, pods)).toMatchObject({
      state: 'partial',
      notes: [{leftBehind: [{isCurrent: true, since: '2026-01-01T23:00:00.000Z'}]}],
    })
  })

  it('is partial if the DaemonSet has not counted again since the node of its new pod died', () => {
    const pods = [...present, daemonPod('c', 1, UNREADY), daemonPod('d', 2, {phase: 'Pending'})]
    const status = {desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2}
    const four = [...nodes(DEAD), node('d', DEAD)]

    const stale = healthOf({...status, numberMisscheduled: 1}, pods, four)
    const recounted = healthOf({...status, numberMisscheduled: 2}, pods, four)

    expect(stale).toMatchObject({
      state: 'partial',
      notes: [{message: 'nodes c (NotReady, old version), d (NotReady, pod not ready) are left behind'}],
    })
    expect(recounted).toMatchObject({blames: [{message: '2 of 3 pods are available'}]})
  })

  it('is healthy if the pod there is of the DaemonSet of a group of nodes, which its selector matches, too', () => {
    const ofGroup = controlledBy('api-pinned', daemonPod('c', 1, UNREADY))
    const two = {desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}

    expect(healthOf(two, [...present, ofGroup])).toEqual({state: 'healthy'})
  })

  it('is healthy if the pod on a cordoned node is ready, and of the current version', () => {
    expect(healthOf(done, [...present, daemonPod('c', 2)], nodes({isCordoned: true}))).toEqual({
      state: 'healthy',
    })
  })

  it('knows the pods of a template that was applied again by their hash', () => {
    const pods = [daemonPod('a', 1), daemonPod('b', 1), daemonPod('c', 1, UNREADY)]

    expect(healthOf(uncounted, pods)).toMatchObject({notes: [{leftBehind: [{isCurrent: true}]}]})
  })

  it('waits for the other nodes, and does not blame the pod that is left behind', () => {
    const pods = [
      daemonPod('a', 2),
      daemonPod('b', 2, waitingFor('ErrImagePull')),
      daemonPod('c', 2, waitingFor('CrashLoopBackOff'), ALL),
    ]

    expect(healthOf({...done, numberAvailable: 1}, pods)).toMatchObject({
      state: 'waiting',
      blames: [{message: '1 of 2 pods are available', pod: 'agent-b'}],
    })
  })

  it.each([
    ['and not counted', uncounted, daemonPod('c', 1), 'node c is not ready'],
    ['and counted', counted, daemonPod('c', 1, UNREADY, ALL), '2 of 3 pods are updated'],
  ])('waits for a node that has just become not ready, %s', (_, status, pod, message) => {
    expect(healthOf(status, [...present, pod], nodes({notReadyFor: 30}))).toMatchObject({
      state: 'waiting',
      blames: [{message}],
      until: NOW + 10_000,
    })
  })

  it.each([
    ['all nodes', 1, 1],
    ['most nodes', 4, 3],
  ])('waits if %s are not ready', (_, total, dead) => {
    const names = Array.from({length: total}, (_, index) => `n${index}`)
    const isDead = (name: string) => names.indexOf(name) < dead
    const of = names.map((name) => node(name, isDead(name) ? DEAD : {}))
    const pods = names.map((name) => daemonPod(name, 2, isDead(name) ? UNREADY : undefined))
    const living = total - dead
    const status = {
      desiredNumberScheduled: living,
      updatedNumberScheduled: living,
      numberAvailable: living,
    }

    expect(healthOf(status, pods, of)).toMatchObject({
      state: 'waiting',
      blames: [{message: expect.stringMatching(/not ready$/)}],
    })
  })
})

describe('a DaemonSet of which the environment lets pods be unavailable', () => {
  const healthOf = (unavailable: number | `${number}%`, available: number, updated = 10) => {
    const status = {
      desiredNumberScheduled: 10,
      updatedNumberScheduled: updated,
      numberAvailable: available,
    }
    return daemonSetHealth(daemonSet(status), around(), {...STATED, unavailable})
  }

  it.each<[number | `${number}%`, number]>([
    [2, 8],
    ['20%', 8],
    ['29%', 8],
    [50, 1],
  ])('is partial with %s and %i of 10 available', (unavailable, available) => {
    expect(healthOf(unavailable, available)).toMatchObject({
      state: 'partial',
      notes: [{reason: 'Unavailable', message: expect.stringContaining(`${available} of 10 pods`)}],
    })
  })

  it.each<[number | `${number}%`, number]>([
    [2, 7],
    ['9%', 9],
    [50, 0],
  ])('waits with %s and %i of 10 available', (unavailable, available) => {
    expect(healthOf(unavailable, available).state).toBe('waiting')
  })

  it('waits until all pods are of the current version', () => {
    expect(healthOf(2, 10, 9).state).toBe('waiting')
  })
})

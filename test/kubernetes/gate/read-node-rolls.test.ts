import {describe, expect, it} from 'vitest'
import type {Pod} from '../../../src/kubernetes/gate/kinds/observed.ts'
import {isRolledByNode} from '../../../src/kubernetes/gate/node-roll.ts'
import {nodesByName} from '../../../src/kubernetes/gate/nodes.ts'
import {heldRoll, nodeRoll} from '../../../src/kubernetes/gate/read-node-rolls.ts'
import {
  controlledBy,
  daemonPod,
  daemonSet,
  NOW,
  node,
  pod,
  READY_POD,
  type StatedStatus,
  waitingFor,
  workload,
} from '../support/objects.ts'

const READY = READY_POD!
const BROKEN = waitingFor('ImagePullBackOff')

/** A DaemonSet on three nodes whose template is the second. */
function set(status: object = {}, observed = 2) {
  const given = {desiredNumberScheduled: 3, updatedNumberScheduled: 0, ...status}
  const object = workload('DaemonSet', {status: given, observed})
  const annotations = {'deprecated.daemonset.template.generation': '2'}
  return {...object, metadata: {...object.metadata, annotations}}
}

/** Its pod on a node, of the first or the second template. */
function on(
  node: string,
  template: 1 | 2,
  status: StatedStatus = READY,
  more: {deletionTimestamp?: string} = {},
): Pod {
  const {metadata, ...rest} = pod(`agent-${node}`, status)
  const labels = {...metadata.labels, 'pod-template-generation': String(template)}
  return {...rest, metadata: {...metadata, ...more, labels, uid: `uid-${node}`}, spec: {nodeName: node}}
}

const names = (pods: readonly Pod[], of = set()) =>
  nodeRoll(of, pods, {now: NOW}).outdated.map(({name}) => name)
const isSettled = (pods: readonly Pod[], of = set()) => nodeRoll(of, pods, {now: NOW}).isSettled

describe('the pods to replace node by node', () => {
  it('are those of an older template, in the order of their nodes', () => {
    expect(names([on('c', 1), on('a', 1), on('b', 2)])).toEqual(['agent-a', 'agent-c'])
  })

  it('are first those that are not ready', () => {
    expect(names([on('a', 1), on('b', 1, BROKEN), on('c', 1)])).toEqual(['agent-b', 'agent-a', 'agent-c'])
  })

  it('are not those that are being deleted', () => {
    expect(names([on('a', 1, READY, {deletionTimestamp: 'now'}), on('b', 1)])).toEqual(['agent-b'])
  })

  it('are not those of the DaemonSet of a group of nodes, which the selector matches, too', () => {
    expect(names([controlledBy('api', on('a', 1)), controlledBy('api-pinned', on('b', 1))])).toEqual([
      'agent-a',
    ])
  })

  it('are none if the controller counts all as new, after an older template was applied again', () => {
    expect(names([on('a', 1), on('b', 1), on('c', 1)], set({updatedNumberScheduled: 3}))).toEqual([])
  })
})

it('the progress counts the new pods that are ready', () => {
  expect(nodeRoll(set(), [on('a', 2), on('b', 2, BROKEN), on('c', 1)], {now: NOW})).toMatchObject({
    ready: 1,
    nodes: 3,
    awaited: ['b'],
  })
})

describe('the next pod may be deleted', () => {
  it('when each node has one, and the new ones are ready', () => {
    expect(isSettled([on('a', 2), on('b', 1), on('c', 1)])).toBe(true)
  })

  it('even if an old one is not ready', () => {
    expect(isSettled([on('a', 2), on('b', 1, BROKEN), on('c', 1)])).toBe(true)
  })

  it.each<[string, readonly Pod[], ReturnType<typeof set>]>([
    ['a new one is not ready', [on('a', 2, BROKEN), on('b', 1), on('c', 1)], set()],
    ['one is on its way out', [on('a', 1, READY, {deletionTimestamp: 'now'}), on('b', 1), on('c', 1)], set()],
    ['a node has none', [on('b', 1), on('c', 1)], set()],
    ['the controller has not seen the change', [on('a', 1), on('b', 1), on('c', 1)], set({}, 1)],
  ])('not while %s', (_, pods, of) => {
    expect(isSettled(pods, of)).toBe(false)
  })
})

describe('a node that is away', () => {
  const counts = (nodes: number) => ({desiredNumberScheduled: nodes, updatedNumberScheduled: 1})
  const UNREADY = {phase: 'Running', conditions: [{type: 'Ready', status: 'False'}]}
  const rollWith = (dead: Parameters<typeof node>[1], pod: Pod, of = daemonSet(counts(3))) =>
    nodeRoll(of, [daemonPod('a', 2), daemonPod('b', 1), pod], {
      nodes: nodesByName([node('a'), node('b'), node('c', dead)]),
      now: NOW,
    })
  const TERMINATING = {deletionTimestamp: '2026-01-01T23:59:00Z'}

  it.each([
    ['is dead', {notReadyFor: 60}, daemonPod('c', 1, UNREADY), daemonSet(counts(2))],
    [
      'died after its pod was deleted',
      {notReadyFor: 60},
      daemonPod('c', 1, UNREADY, TERMINATING),
      daemonSet(counts(2)),
    ],
    [
      'is dead, but counted',
      {notReadyFor: 60},
      daemonPod('c', 1, UNREADY, {tolerations: [{operator: 'Exists'}]}),
      daemonSet(counts(3)),
    ],
    ['is cordoned', {isCordoned: true}, daemonPod('c', 1), daemonSet(counts(3))],
  ])('keeps its pod and does not hold the others up if it %s', (_, state, pod, of) => {
    expect(rollWith(state, pod, of)).toMatchObject({
      nodes: 2,
      outdated: [{node: 'b'}],
      isSettled: true,
      deletable: 1,
    })
  })

  it('holds the others up while it may come back at once', () => {
    expect(rollWith({notReadyFor: 30}, daemonPod('c', 1, UNREADY))).toMatchObject({
      outdated: [{node: 'b'}],
      awaited: ['c'],
      isSettled: false,
      deletable: 0,
    })
  })
})

it.each([
  [undefined, 1],
  ['2', 2],
  ['34%', 3],
  ['1%', 1],
  ['0', 1],
  ['all', 1],
])(
  'the annotation kk.openstack.org/roll-max-unavailable: %s lets %i of ten nodes be without a pod',
  (text, deletable) => {
    const names = Array.from({length: 10}, (_, index) => `n${index}`)
    const of = daemonSet({desiredNumberScheduled: 10, updatedNumberScheduled: 0})
    const annotations = {
      ...of.metadata.annotations,
      ...(text && {'kk.openstack.org/roll-max-unavailable': text}),
    }
    const pods = names.map((name) => daemonPod(name, 1))

    expect(nodeRoll({...of, metadata: {...of.metadata, annotations}}, pods, {now: NOW})).toMatchObject({
      deletable,
    })
  },
)

describe('a DaemonSet is rolled node by node', () => {
  const object = (annotations: object, type: string) => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {name: 'agent', annotations: {...annotations}},
    spec: {updateStrategy: {type}},
  })
  const ASKS = {'kk.openstack.org/roll': 'node-by-node'}

  it.each([
    ['where it asks for it, and nobody else does', ASKS, 'OnDelete', true],
    ['not where Kubernetes does', ASKS, 'RollingUpdate', false],
    ['not where nothing asks for it', {}, 'OnDelete', false],
  ])('%s', (_, annotations, type, expected) => {
    expect(isRolledByNode(object(annotations, type))).toBe(expected)
  })
})

describe('a rolling update', () => {
  const UNREADY = {phase: 'Running', conditions: [{type: 'Ready', status: 'False'}]}
  const TERMINATING = {deletionTimestamp: '2026-01-01T23:59:00Z'}
  const counts = {desiredNumberScheduled: 2, updatedNumberScheduled: 0}
  const updating = (updateStrategy: object = {}) => {
    const object = daemonSet(counts)
    return {...object, spec: {...object.spec, updateStrategy}} as ReturnType<typeof daemonSet>
  }
  const held = (
    dead: Parameters<typeof node>[1],
    of = updating(),
    pod = daemonPod('c', 1, UNREADY, TERMINATING),
    other: Parameters<typeof node>[1] = {},
  ) =>
    heldRoll(of, [daemonPod('a', 1), daemonPod('b', 1), pod], {
      nodes: nodesByName([node('a'), node('b', other), node('c', dead)]),
      now: NOW,
    })

  it('is held up by a node that is dead, and as many pods elsewhere may be deleted', () => {
    expect(held({notReadyFor: 60})).toMatchObject({outdated: [{node: 'a'}, {node: 'b'}], deletable: 1})
  })

  it('is held up for a cordoned node, too, whose pod Kubernetes would replace', () => {
    expect(held({notReadyFor: 60}, updating(), undefined, {isCordoned: true})).toMatchObject({
      outdated: [{node: 'a'}, {node: 'b'}],
    })
  })

  it('waits as long as the DaemonSet wants a new pod to be ready', () => {
    const {spec, ...of} = updating()
    const patient = {...of, spec: {...spec, minReadySeconds: 30}} as ReturnType<typeof daemonSet>
    const ready = (seconds: number) => ({
      phase: 'Running',
      conditions: [
        {type: 'Ready', status: 'True', lastTransitionTime: new Date(NOW - seconds * 1_000).toISOString()},
      ],
    })
    const roll = (seconds: number) =>
      heldRoll(
        patient,
        [daemonPod('a', 2, ready(seconds)), daemonPod('b', 1), daemonPod('c', 1, UNREADY, TERMINATING)],
        {nodes: nodesByName([node('a'), node('b'), node('c', {notReadyFor: 60})]), now: NOW},
      )

    expect([roll(10)?.deletable, roll(40)?.deletable]).toEqual([0, 1])
  })

  it('goes on in Kubernetes if more nodes than the dead ones may be unavailable', () => {
    expect(held({notReadyFor: 60}, updating({rollingUpdate: {maxUnavailable: 2}}))).toBeUndefined()
    expect(held({notReadyFor: 60}, updating({rollingUpdate: {maxUnavailable: '51%'}}))).toBeUndefined()
    expect(held({notReadyFor: 60}, updating({rollingUpdate: {maxUnavailable: '50%'}}))).toBeDefined()
  })

  it.each([
    ['no node is away', {}, updating(), daemonPod('c', 1)],
    ['a node may come back at once', {notReadyFor: 30}, updating(), undefined],
    ['a node is cordoned, whose pod Kubernetes replaces', {isCordoned: true}, updating(), undefined],
    ['pods are replaced on command', {notReadyFor: 60}, updating({type: 'OnDelete'}), undefined],
    [
      'new pods come before the old ones go',
      {notReadyFor: 60},
      updating({rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}),
      undefined,
    ],
  ])('is not held up while %s', (_, dead, of, pod) => {
    expect(held(dead, of, pod)).toBeUndefined()
  })
})

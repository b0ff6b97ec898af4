import {describe, expect, it} from 'vitest'
import type {Pod} from '../../../src/kubernetes/gate/kinds/observed.ts'
import {isRolledByNode} from '../../../src/kubernetes/gate/node-roll.ts'
import {nodeRoll} from '../../../src/kubernetes/gate/read-node-rolls.ts'
import {pod, READY_POD, type StatedStatus, waitingFor, workload} from '../support/objects.ts'

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

const names = (pods: readonly Pod[], of = set()) => nodeRoll(of, pods).outdated.map(({name}) => name)
const isSettled = (pods: readonly Pod[], of = set()) => nodeRoll(of, pods).isSettled

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

  it('are none if the controller counts all as new, after an older template was applied again', () => {
    expect(names([on('a', 1), on('b', 1), on('c', 1)], set({updatedNumberScheduled: 3}))).toEqual([])
  })
})

it('the progress counts the new pods that are ready', () => {
  expect(nodeRoll(set(), [on('a', 2), on('b', 2, BROKEN), on('c', 1)])).toMatchObject({ready: 1, nodes: 3})
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

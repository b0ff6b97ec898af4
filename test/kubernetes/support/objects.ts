import type {ManifestFields} from '../../../src/kubernetes/gate/kinds/health.ts'
import type {
  ContainerStatus,
  NamespaceObjects,
  Node,
  ObservedClaim,
  Pod,
  Workload,
} from '../../../src/kubernetes/gate/kinds/observed.ts'
import {nodesByName} from '../../../src/kubernetes/gate/nodes.ts'

type Statuses = 'containerStatuses' | 'initContainerStatuses'

/** The status of a pod, of each container no more than a test is about. */
export type StatedStatus = Omit<NonNullable<Pod['status']>, Statuses> & {
  readonly [Key in Statuses]?: readonly Partial<ContainerStatus>[]
}

/** A pod with the label `app: NAME-OF-APP` as the selectors of these tests want it. */
export function pod(
  name: string,
  status: StatedStatus | undefined,
  more: Partial<Pod> & {hash?: string; created?: string} = {},
): Pod {
  const {hash, created = '2026-01-01T00:00:00Z', ...rest} = more
  const labels = {app: 'api', ...(hash && {'pod-template-hash': hash})}
  return {
    metadata: {name, namespace: 'openstack', creationTimestamp: created, labels},
    spec: {containers: [{name: 'api'}]},
    ...rest,
    ...(status && {status}),
  } as Pod
}

export const READY_POD: StatedStatus = {phase: 'Running', conditions: [{type: 'Ready', status: 'True'}]}

/** One container that waits for this reason. */
export function waitingFor(reason: string, message?: string): StatedStatus {
  const waiting = {reason, ...(message && {message})}
  return {phase: 'Pending', containerStatuses: [{name: 'api', ready: false, state: {waiting}}]}
}

export function claim(name: string, phase: string, storageClassName?: string): ObservedClaim {
  return {
    metadata: {name, namespace: 'openstack'},
    spec: {...(storageClassName && {storageClassName})},
    status: {phase},
  }
}

/** The time at which tests look at pods, unless they say otherwise. */
export const NOW = Date.parse('2026-01-02T00:00:00Z')

export function around(
  pods: readonly Pod[] = [],
  claims: readonly ObservedClaim[] = [],
  nodes: readonly Node[] = [],
): NamespaceObjects {
  const claim = (name: string) => claims.find((found) => found.metadata.name === name)
  return {pods, now: NOW, claim, nodes: nodesByName(nodes)}
}

/** What a node of a test has in addition to its name. */
interface NodeState {
  readonly isCordoned?: boolean
  readonly deletionTimestamp?: string
  /** The seconds for which it has not been ready. */
  readonly notReadyFor?: number
}

/** A node as Kubernetes marks it: one that is not ready, or cordoned, has a taint. */
export function node(name: string, {isCordoned, deletionTimestamp, notReadyFor}: NodeState = {}): Node {
  const lastTransitionTime = new Date(NOW - (notReadyFor ?? 3_600) * 1_000).toISOString()
  const ready = {
    type: 'Ready',
    status: notReadyFor === undefined ? 'True' : 'Unknown',
    lastHeartbeatTime: lastTransitionTime,
    lastTransitionTime,
  }
  const taints = [
    ...(notReadyFor === undefined ? [] : [{key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule'}]),
    ...(isCordoned ? [{key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule'}] : []),
  ]
  return {
    metadata: {name, ...(deletionTimestamp && {deletionTimestamp})},
    spec: {taints, ...(isCordoned && {unschedulable: true})},
    status: {conditions: [ready]},
  }
}

/** The tolerations that Kubernetes gives to the pods of DaemonSets. */
const DAEMON_TOLERATIONS = [
  {key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute'},
  {key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute'},
  {key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule'},
]

/** A pod of a DaemonSet on a node, of a template by its number. */
export function daemonPod(
  nodeName: string,
  template: number,
  status: StatedStatus = READY_POD,
  more: {readonly tolerations?: readonly object[]; readonly deletionTimestamp?: string} = {},
): Pod {
  const {tolerations = DAEMON_TOLERATIONS, ...meta} = more
  const {metadata, ...rest} = pod(`agent-${nodeName}`, status)
  const labels = {
    ...metadata.labels,
    'pod-template-generation': String(template),
    'controller-revision-hash': `hash-${template}`,
  }
  return {
    ...rest,
    metadata: {...metadata, ...meta, labels, uid: `uid-${nodeName}`},
    spec: {nodeName, tolerations} as Pod['spec'] & object,
  }
}

/** The pod, under the control of this DaemonSet. */
export function controlledBy(name: string, {metadata, ...rest}: Pod): Pod {
  const owner = {apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: `uid-${name}`, controller: true}
  return {...rest, metadata: {...metadata, ownerReferences: [owner]}}
}

/** A DaemonSet whose template is the second, with counts of its status. */
export function daemonSet(
  status: object,
  {observed = 2, spec = {}}: {observed?: number; spec?: object} = {},
) {
  const object = workload('DaemonSet', {status, observed, spec})
  const annotations = {'deprecated.daemonset.template.generation': '2'}
  return {...object, metadata: {...object.metadata, annotations}}
}

/**
 * A workload of the given kind with generation 2, seen by its controller unless `observed` says otherwise.
 */
export function workload<K extends string>(
  kind: K,
  given: {spec?: object; status?: object; observed?: number},
) {
  return {
    kind,
    metadata: {name: 'api', namespace: 'openstack', generation: 2},
    spec: {selector: {matchLabels: {app: 'api'}}, ...given.spec},
    status: {observedGeneration: given.observed ?? 2, ...given.status} as NonNullable<Workload['status']>,
  }
}

/** The manifest of an object of which the chart leaves the number of replicas to others. */
export const STATED: ManifestFields = {replicasOf: 'chart', replicas: 0, isPaused: false, isSuspended: false}

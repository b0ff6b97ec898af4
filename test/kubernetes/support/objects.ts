import type {ManifestFields} from '../../../src/kubernetes/gate/kinds/health.ts'
import type {
  ContainerStatus,
  NamespaceObjects,
  ObservedClaim,
  Pod,
  Workload,
} from '../../../src/kubernetes/gate/kinds/observed.ts'

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

export function around(pods: readonly Pod[] = [], claims: readonly ObservedClaim[] = []): NamespaceObjects {
  return {pods, now: NOW, claim: (name) => claims.find((found) => found.metadata.name === name)}
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

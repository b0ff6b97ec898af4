import {
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  type Resource,
  SECRETS,
  STATEFUL_SETS,
} from '../kubernetes/api/resources.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Collection, CollectionScope} from '../kubernetes/watch/collection.ts'

/** What is watched for changes of a release: its Helm record, and the workloads that its gate checks. */
const WATCHED: readonly (readonly [Resource, CollectionScope])[] = [
  [SECRETS, {isMetadata: true, fieldSelector: 'type=helm.sh/release.v1'}],
  [DEPLOYMENTS, {isMetadata: true}],
  [STATEFUL_SETS, {isMetadata: true}],
  [DAEMON_SETS, {isMetadata: true}],
  [JOBS, {isMetadata: true}],
]

/** Changes within this time after the first are enqueued once. */
const DEBOUNCE_MS = 2_000

/** Watches the namespaces of the releases of Environments. */
export interface WorkloadWatcher {
  /** Watches these namespaces for an Environment, until the signal. */
  watch(environment: string, namespaces: readonly string[]): void
}

/**
 * Watches metadata, and calls `enqueue` with each Environment of a namespace in which an object has changed.
 */
export function newWorkloadWatcher(
  objects: Pick<Objects, 'follow'>,
  {signal, enqueue}: {readonly signal: AbortSignal; readonly enqueue: (environment: string) => void},
): WorkloadWatcher {
  const environmentsByNamespace = new Map<string, Set<string>>()
  const pending = new Set<string>()

  const enqueueDebounced = (environment: string): void => {
    if (pending.has(environment)) return
    pending.add(environment)
    const timer = setTimeout(() => {
      pending.delete(environment)
      if (!signal.aborted) enqueue(environment)
    }, DEBOUNCE_MS)
    timer.unref()
  }

  return {
    watch(environment, namespaces) {
      for (const namespace of namespaces) {
        const watching = environmentsByNamespace.get(namespace)
        const environments = watching ?? new Set<string>()
        environmentsByNamespace.set(namespace, environments.add(environment))
        if (watching) continue
        for (const [resource, scope] of WATCHED)
          subscribe(objects.follow(resource, namespace, signal, scope), () =>
            environments.forEach(enqueueDebounced),
          )
      }
    },
  }
}

/** Calls `onChange` for each change, and when a failed watch works again; not while the watch fails. */
function subscribe(collection: Collection, onChange: () => void): void {
  collection.subscribe(() => {
    if (!collection.problem()) onChange()
  })
}

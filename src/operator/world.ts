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

/** What tells that a release may not be as it was: its record, and the workloads that its gate looks at. */
const WATCHED: readonly (readonly [Resource, CollectionScope])[] = [
  [SECRETS, {isMetadata: true, fieldSelector: 'type=helm.sh/release.v1'}],
  [DEPLOYMENTS, {isMetadata: true}],
  [STATEFUL_SETS, {isMetadata: true}],
  [DAEMON_SETS, {isMetadata: true}],
  [JOBS, {isMetadata: true}],
]

/** What happens together counts as one change; in milliseconds. */
const TOGETHER = 2_000

/** The namespaces of the releases of Environments. */
export interface World {
  /** Watches these namespaces for an Environment. */
  watch(environment: string, namespaces: readonly string[]): void
}

/** Watches metadata, and calls `ring` with the Environments of a namespace in which something has changed. */
export function openWorld(
  objects: Pick<Objects, 'follow'>,
  {signal, ring}: {readonly signal: AbortSignal; readonly ring: (environment: string) => void},
): World {
  const environmentsOf = new Map<string, Set<string>>()
  const rung = new Set<string>()

  const ringSoon = (environment: string): void => {
    if (rung.has(environment)) return
    rung.add(environment)
    const timer = setTimeout(() => {
      rung.delete(environment)
      if (!signal.aborted) ring(environment)
    }, TOGETHER)
    timer.unref()
  }

  return {
    watch(environment, namespaces) {
      for (const namespace of namespaces) {
        const known = environmentsOf.get(namespace)
        const environments = known ?? new Set<string>()
        environmentsOf.set(namespace, environments.add(environment))
        if (known) continue
        for (const [resource, scope] of WATCHED)
          watchOne(objects.follow(resource, namespace, signal, scope), () => environments.forEach(ringSoon))
      }
    },
  }
}

/** Calls `onChange` for what is seen, and when it is seen again: not for what cannot be seen now. */
function watchOne(collection: Collection, onChange: () => void): void {
  collection.subscribe(() => {
    if (!collection.problem()) onChange()
  })
}

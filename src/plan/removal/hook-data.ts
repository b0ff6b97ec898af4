import {hookDeletePolicies, hookEvents} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {CASCADE_TEXT, takesClaims} from './objects.ts'

/** Helm's operations on a release, each with the events at which helm creates hooks. */
export const HOOK_EVENTS = {
  install: ['pre-install', 'post-install'],
  upgrade: ['pre-upgrade', 'post-upgrade'],
  rollback: ['pre-rollback', 'post-rollback'],
  remove: ['pre-delete', 'post-delete'],
  test: ['test', 'test-success'],
} as const satisfies Record<string, readonly string[]>

export type HelmVerb = keyof typeof HOOK_EVENTS

const POLICIES: ReadonlySet<string> = new Set(['before-hook-creation', 'hook-succeeded', 'hook-failed'])

/**
 * Returns the hooks that hold data and that helm deletes during an operation: before it re-creates them,
 * which is the default, or afterwards. No resource policy keeps a hook (Helm 4.2: action/hooks.go
 * deleteHookByPolicy).
 */
export function dataOfHooks<T extends KubernetesObject>(objects: readonly T[], verb: HelmVerb): readonly T[] {
  return objects.filter(
    (object) =>
      (Object.hasOwn(CASCADE_TEXT, object.kind) || takesClaims(object)) &&
      eventsDuring(object, verb).length > 0 &&
      hookDeletePolicies(object).some((policy) => POLICIES.has(policy)),
  )
}

/** Returns the events of a hook at which helm makes it during this operation. */
export function eventsDuring(object: KubernetesObject, verb: HelmVerb): readonly string[] {
  const events: readonly string[] = HOOK_EVENTS[verb]
  return hookEvents(object).filter((event) => events.includes(event))
}

/** Returns what is deleted with a hook that holds data. */
export function dataWith({kind}: Pick<KubernetesObject, 'kind'>): string {
  return CASCADE_TEXT[kind] ?? 'with its claims and their data'
}

import {hookDeletePolicies, isHook, isKeptInUpgrade} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectKey} from '../../kubernetes/manifest/manifest.ts'
import {dataOfHooks, eventsDuring, type HelmVerb} from '../removal/hook-data.ts'
import {droppedObjects, isHolder} from './dropped.ts'

/** A hook whose object was a normal one in the previous revision, so that helm deletes that. */
export interface ReplacedByHook {
  readonly object: KubernetesObject
  /** Whether the object exists afterwards: helm has re-created it as the hook. */
  readonly isMade: boolean
}

interface HelmChange {
  /** The namespace of the release. */
  readonly namespace: string
  readonly verb: HelmVerb
}

/**
 * Returns the hooks of a revision whose objects are normal ones in the previous revision, and that helm
 * deletes on the way. Helm runs the hooks before the change, deletes the objects that the manifest no longer
 * has, and runs the hooks after the change: an object that only a hook before the change has created is
 * deleted with the rest (Helm 4.2: action/upgrade.go releasingUpgrade; Helm 3 does the same). Objects that
 * stay are omitted: kk or the chart makes helm keep them, and no hook deletes them.
 */
export function replacedByHooks(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  {namespace, verb}: HelmChange,
): readonly ReplacedByHook[] {
  const hooks = new Map(after.filter(isHook).map((hook) => [objectKey(hook, namespace), hook]))
  return droppedObjects(before, after, namespace).flatMap((object): readonly ReplacedByHook[] => {
    const hook = hooks.get(objectKey(object, namespace))
    if (!hook) return []
    const events = eventsDuring(hook, verb)
    const policies = hookDeletePolicies(hook)
    const isKept = isKeptInUpgrade(object) || (isHolder(object) && dataOfHooks([hook], verb).length === 0)
    const isDeletedByHook = events.length > 0 && policies.some((policy) => policy !== 'hook-failed')
    if (isKept && !isDeletedByHook) return []
    const isMade = events.some((event) => event.startsWith('post-')) && !policies.includes('hook-succeeded')
    return [{object: hook, isMade}]
  })
}

/**
 * Returns the hooks that must exist afterwards although helm deletes their objects on the way: those of
 * `replacedByHooks`, and those with data. Helm 4 applies a hook to an object that is still being deleted and
 * reports success, but the object is deleted (Helm 4.2: kube/statuswait.go hookOnlyWaiter).
 */
export function recreatedHooks(
  replaced: readonly ReplacedByHook[],
  objects: readonly KubernetesObject[],
  verb: HelmVerb,
): readonly KubernetesObject[] {
  const data = dataOfHooks(objects, verb).filter(
    (object) => !hookDeletePolicies(object).includes('hook-succeeded'),
  )
  return [...new Set([...replaced.map(({object}) => object), ...data])]
}

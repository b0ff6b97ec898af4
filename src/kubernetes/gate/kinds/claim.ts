import type {Cause} from '../health.ts'
import type {NamespaceObjects, Observed, PodSpec} from './observed.ts'

/** Returns the names of the claims in a pod template. */
export function claimsOf(spec: PodSpec | undefined): string[] {
  const names = (spec?.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName)
  return [...new Set(names.filter((name) => name !== undefined))]
}

/** Returns a cause for each claim that `object`'s pods mount and that is not bound. */
export function unboundClaims(
  object: Observed & {readonly kind: string},
  names: readonly string[],
  namespaceObjects: NamespaceObjects,
): Cause[] {
  return names.flatMap((name) => {
    const claim = namespaceObjects.claim(name)
    const phase = claim?.status?.phase
    if (phase === 'Bound') return []
    const {namespace} = object.metadata
    const storage = claim?.spec?.storageClassName
    const what = claim ? `it is ${phase ?? 'Pending'}` : 'it does not exist'
    return [
      {
        object: `PersistentVolumeClaim/${name}`,
        ...(namespace && {namespace}),
        message: `${object.kind}/${object.metadata.name} mounts it, and ${what}${storage ? ` (storage class "${storage}")` : ''}`,
        reason: claim ? (phase ?? 'Pending') : 'NotFound',
      },
    ]
  })
}

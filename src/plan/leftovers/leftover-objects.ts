import {staysInUpgrade} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectKey} from '../../kubernetes/manifest/manifest.ts'

/** The objects of one revision of a release. */
export interface RevisionObjects {
  readonly revision: number
  /** The status in Helm's words. */
  readonly status: string
  readonly objects: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
}

/** An object that helm will never look at again, and the last revision that had it. */
export interface LeftoverObject {
  readonly object: KubernetesObject
  readonly revision: number
}

const MADE_OBJECTS: ReadonlySet<string> = new Set(['failed', 'superseded'])

/**
 * Returns the objects of failed and earlier revisions of one release that the revision which helm compares with does
 * not have: helm deletes only objects of its last deployed revision (Helm 4.2: upgrade.go prepareUpgrade). An object
 * with a resource policy that helm obeyed is not forgotten. Only the cluster tells whether the objects exist.
 */
export function leftoverObjects(
  revisions: readonly RevisionObjects[],
  namespace: string,
): readonly LeftoverObject[] {
  const newestFirst = revisions.toSorted((a, b) => b.revision - a.revision)
  const base = comparedRevision(newestFirst)
  if (base === undefined) return []
  const key = (object: KubernetesObject) => objectKey(object, namespace)
  const seen = new Set([...base.objects, ...base.hooks].map(key))
  const found: LeftoverObject[] = []
  for (const {revision, status, objects} of newestFirst) {
    if (revision === base.revision || !MADE_OBJECTS.has(status)) continue
    for (const object of objects) {
      const isKnown = seen.has(key(object))
      seen.add(key(object))
      if (!isKnown && !(status === 'superseded' && staysInUpgrade(object))) found.push({object, revision})
    }
  }
  return found
}

/** Returns the revision that helm compares the next one with: the last deployed one, else the last one. */
export function comparedRevision<T extends {readonly revision: number; readonly status: string}>(
  revisions: readonly T[],
): T | undefined {
  const newestFirst = revisions.toSorted((a, b) => b.revision - a.revision)
  return newestFirst.find(({status}) => status === 'deployed') ?? newestFirst[0]
}

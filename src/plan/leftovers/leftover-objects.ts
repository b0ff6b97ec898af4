import {isKeptInUpgrade} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectKey} from '../../kubernetes/manifest/manifest.ts'

/** The objects of one revision of a release. */
export interface RevisionObjects {
  readonly revision: number
  /** Helm's status of the revision. */
  readonly status: string
  readonly objects: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
}

/** An object that helm no longer manages, and the last revision that had it. */
export interface LeftoverObject {
  readonly object: KubernetesObject
  readonly revision: number
}

const MADE_OBJECTS: ReadonlySet<string> = new Set(['failed', 'superseded'])

/**
 * Returns the objects of failed and earlier revisions of one release that are not in the revision with which
 * helm compares: helm deletes only objects of its last deployed revision (Helm 4.2: upgrade.go
 * prepareUpgrade). An object with a resource policy that helm obeyed is not a leftover. Whether the objects
 * exist is only known from the cluster.
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
  const leftovers: LeftoverObject[] = []
  for (const {revision, status, objects} of newestFirst) {
    if (revision === base.revision || !MADE_OBJECTS.has(status)) continue
    for (const object of objects) {
      const isKnown = seen.has(key(object))
      seen.add(key(object))
      if (!isKnown && !(status === 'superseded' && isKeptInUpgrade(object)))
        leftovers.push({object, revision})
    }
  }
  return leftovers
}

/** Returns the revision with which helm compares the next one: the last deployed one, else the last one. */
export function comparedRevision<T extends {readonly revision: number; readonly status: string}>(
  revisions: readonly T[],
): T | undefined {
  const newestFirst = revisions.toSorted((a, b) => b.revision - a.revision)
  return newestFirst.find(({status}) => status === 'deployed') ?? newestFirst[0]
}

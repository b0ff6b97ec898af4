import type {KubernetesObject} from '../../cluster/cluster.ts'
import {isKept} from '../../cluster/helm-annotations.ts'
import {objectKey} from '../../cluster/manifest.ts'

/** What one revision of a release consists of. */
export interface RevisionObjects {
  readonly revision: number
  /** Helm's word. */
  readonly status: string
  readonly objects: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
}

/** An object that helm will never look at again, and the last revision that had it. */
export interface ForgottenObject {
  readonly object: KubernetesObject
  readonly revision: number
}

const MADE_OBJECTS: ReadonlySet<string> = new Set(['failed', 'superseded'])

/**
 * The objects of failed and earlier revisions of one release that the revision which helm compares with does not have:
 * helm deletes only what its last deployed revision had (Helm 4.2: upgrade.go prepareUpgrade). What helm keeps because
 * it was told to is not forgotten. Whether they exist, only the cluster tells.
 */
export function forgotten(
  revisions: readonly RevisionObjects[],
  namespace: string,
): readonly ForgottenObject[] {
  const newestFirst = revisions.toSorted((a, b) => b.revision - a.revision)
  const base = comparedRevision(newestFirst)
  if (base === undefined) return []
  const key = (object: KubernetesObject) => objectKey(object, namespace)
  const seen = new Set([...base.objects, ...base.hooks].map(key))
  const found: ForgottenObject[] = []
  for (const {revision, status, objects} of newestFirst) {
    if (revision === base.revision || !MADE_OBJECTS.has(status)) continue
    for (const object of objects) {
      const isKnown = seen.has(key(object))
      seen.add(key(object))
      if (!isKnown && !(status === 'superseded' && isKept(object))) found.push({object, revision})
    }
  }
  return found
}

/** The revision that helm compares the next one with: the last that is deployed, else the last. */
export function comparedRevision<T extends {readonly revision: number; readonly status: string}>(
  revisions: readonly T[],
): T | undefined {
  const newestFirst = revisions.toSorted((a, b) => b.revision - a.revision)
  return newestFirst.find(({status}) => status === 'deployed') ?? newestFirst[0]
}

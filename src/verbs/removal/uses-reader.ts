import type {Cluster, ReleaseRecord, StoredRelease} from '../../cluster/cluster.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {asKkError, KkError} from '../../errors.ts'
import {isKept} from '../../plan/removal/objects.ts'
import {livingRevisions, observeReleases, type RecordFacts} from '../../plan/removal/observed.ts'
import {type Uses, usesOf} from '../../plan/removal/uses.ts'
import {observedRevisions} from '../preparation/observed-records.ts'

/** How many records are read at once; each holds a whole chart. */
const AT_ONCE = 8

/** Reads who uses whom on the cluster, anew at each call. */
export type UsesReader = () => Promise<Uses>

/**
 * A reader that downloads each record once, however often it looks: payloads never change under one version. Without
 * the permission to list all records it throws `KK_HAS_DEPENDENTS`: what cannot be seen may use anything.
 */
export function usesReader(
  cluster: Pick<Cluster, 'everyRecord' | 'stored' | 'lease' | 'now'>,
  excused: ReadonlySet<string>,
): UsesReader {
  const known = new Map<string, RecordFacts>()
  const read = async (record: ReleaseRecord) => {
    const found = await factsOf(cluster, record)
    if (found) known.set(versionOf(record), found)
  }
  const isKnown = (record: ReleaseRecord) => known.has(versionOf(record))
  return async () => {
    for (;;) {
      const {records, strays} = await cluster.everyRecord().catch((error: unknown) => {
        throw asKkError(error).code === 'KK_FORBIDDEN' ? unseen(error) : error
      })
      const revisions = [...Map.groupBy(records, ({release}) => release).values()]
      const living = revisions.flatMap(livingRevisions)
      await mapParallel(
        living.filter((record) => !isKnown(record)),
        AT_ONCE,
        read,
      )
      // What went while others were read has left its release in another state than the list says.
      if (!living.every(isKnown)) continue
      const observed = await observedRevisions(cluster, records)
      const releases = observeReleases(observed, (record) => known.get(versionOf(record))!)
      return usesOf({releases, strays, excused})
    }
  }
}

/** Undefined for a record that went while others were read. */
async function factsOf(
  cluster: Pick<Cluster, 'stored'>,
  {release, revision}: ReleaseRecord,
): Promise<RecordFacts | undefined> {
  try {
    const stored = await cluster.stored(release, revision)
    return (
      stored && {
        readable: true,
        annotations: stored.chart.annotations ?? {},
        namespaces: goingNamespaces(stored),
      }
    )
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code === 'KK_RECORD' || code === 'KK_FORBIDDEN') return {readable: false, reason: message}
    throw error
  }
}

/** Most manifests hold no Namespace: only those that seem to are parsed. */
function goingNamespaces({manifest}: StoredRelease): readonly string[] {
  if (!/\bNamespace\b/.test(manifest)) return []
  return parseManifest(manifest)
    .filter((object) => object.kind === 'Namespace' && !isKept(object))
    .map(({metadata}) => metadata.name)
}

function versionOf({secret}: ReleaseRecord): string {
  return `${secret.uid} ${secret.resourceVersion}`
}

function unseen(error: unknown): KkError {
  return new KkError(
    'KK_HAS_DEPENDENTS',
    `who uses a release cannot be known, so it may be in use: ${asKkError(error).message}`,
    {
      cause: error,
      hint: 'remove with a role that may list secrets in all namespaces: dependents may live in any of them',
    },
  )
}

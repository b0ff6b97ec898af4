import {asKkError, KkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Leases} from '../kubernetes/lease/leases.ts'
import {isKeptAtUninstall, withoutHooks} from '../kubernetes/manifest/helm-view.ts'
import {annotatedObjects, readableObjects} from '../kubernetes/manifest/manifest.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../kubernetes/records/release-record.ts'
import {CLEANUP, cleanupsIn} from '../plan/removal/cleanup.ts'
import {dataOfHooks} from '../plan/removal/hook-data.ts'
import {liveRevisions, type RecordFacts} from '../plan/uses/observed.ts'
import {type Uses, usesOf} from '../plan/uses/uses.ts'
import {observedRevisions} from './observed-records.ts'

/** Reads which releases on the cluster use which; reads again at each call. */
export type UsesReader = () => Promise<Uses>

/**
 * Returns a reader that downloads each record once, however often it is called, because the payload of a
 * version never changes. Without the permission to list all records it throws `KK_HAS_DEPENDENTS`, because
 * releases that cannot be seen may use any other.
 */
export function usesReader(
  cluster: {readonly records: Records; readonly leases: Leases},
  ignored: ReadonlySet<string>,
): UsesReader {
  const readFacts = factsReader(cluster)
  return async () => {
    for (;;) {
      const {records, strays} = await cluster.records.every().catch((error: unknown) => {
        throw asKkError(error).code === 'KK_FORBIDDEN' ? unseen(error) : error
      })
      const live = selectLiveRevisions(records)
      const factsOf = await readFacts(live)
      // A record that was deleted while others were read: the list is outdated.
      if (!live.every(factsOf)) continue
      const revisions = await observedRevisions(cluster, records)
      return usesOf({revisions, factsOf, strays, ignored})
    }
  }
}

/** Returns the living revisions of each release. */
export function selectLiveRevisions(revisions: readonly ReleaseRecord[]): readonly ReleaseRecord[] {
  return [...Map.groupBy(revisions, ({release}) => release).values()].flatMap(liveRevisions)
}

/** Reads the facts in the payloads of these records; undefined for one that was deleted in the meantime. */
export type FactsReader = (
  records: readonly ReleaseRecord[],
) => Promise<(record: ReleaseRecord) => RecordFacts | undefined>

/** Returns a reader that downloads each record once, however often it is called. */
export function factsReader(cluster: {readonly records: Records}): FactsReader {
  const cache = new Map<string, RecordFacts>()
  const factsOf = (record: ReleaseRecord) => cache.get(recordVersion(record))
  return async (records) => {
    await mapParallel(
      records.filter((record) => !factsOf(record)),
      async (record) => {
        const facts = await readFacts(cluster.records, record)
        if (facts) cache.set(recordVersion(record), facts)
      },
    )
    return factsOf
  }
}

/** Returns the facts of a record; undefined if it was deleted in the meantime. */
async function readFacts(
  records: Records,
  {release, revision}: ReleaseRecord,
): Promise<RecordFacts | undefined> {
  try {
    const stored = await records.stored(release, revision)
    return stored && factsIn(stored)
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code === 'KK_RECORD' || code === 'KK_FORBIDDEN') return {readable: false, reason: message}
    throw error
  }
}

/** Returns the facts of a record that was read. */
export function factsIn(stored: StoredRelease): RecordFacts {
  return {
    readable: true,
    annotations: stored.chart.annotations ?? {},
    namespaces: terminatingNamespaces(stored),
    cleanups: cleanupsIn(annotatedObjects(stored.manifest, CLEANUP)),
  }
}

/** Returns the namespaces that a release's removal deletes; parses only manifests that may contain one. */
function terminatingNamespaces({manifest, hooks}: StoredRelease): readonly string[] {
  const holding = [manifest, ...hooks]
    .filter((yaml) => /\bNamespace\b/.test(yaml))
    .map((yaml) => readableObjects(yaml).objects)
  return holding
    .flatMap((objects) => [
      ...withoutHooks(objects).filter((object) => !isKeptAtUninstall(object)),
      ...dataOfHooks(objects, 'remove'),
    ])
    .filter(({kind}) => kind === 'Namespace')
    .map(({metadata}) => metadata.name)
}

/** Returns the version of a record; the payload of a version never changes. */
export function recordVersion({secret}: ReleaseRecord): string {
  return `${secret.uid} ${secret.resourceVersion}`
}

function unseen(error: unknown): KkError {
  return new KkError(
    'KK_HAS_DEPENDENTS',
    `the dependents of a release cannot be read, so it may be in use: ${asKkError(error).message}`,
    {
      cause: error,
      hint: 'remove with a role that may list secrets in all namespaces: dependents may live in any of them',
    },
  )
}

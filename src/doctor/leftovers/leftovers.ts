import {hookObjects, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {
  comparedRevision,
  type LeftoverObject,
  leftoverObjects,
  type RevisionObjects,
} from '../../plan/leftovers/leftover-objects.ts'
import {type JudgedLeftover, judgedLeftover} from '../../plan/leftovers/ownership.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/**
 * An existing object that only a failed revision created and that helm no longer tracks; `kept` is the reason
 * why `kk drift --prune` keeps it.
 */
export interface Leftover extends JudgedLeftover {
  /** The last revision that had it. */
  readonly revision: number
}

type Reads = {readonly records: Records; readonly live: LiveObjects}

/** Returns the leftovers of a release. */
export type LeftoversReader = (
  release: ReleaseId,
  revisions: readonly ReleaseRecord[],
) => Promise<readonly Leftover[]>

/**
 * Returns the leftovers of a release, from the revisions of it that helm keeps (`Records.revisions`). Reads
 * nothing if none of them failed. Throws `KK_RECORD` if a revision cannot be read.
 */
export async function leftovers(
  cluster: Reads,
  release: ReleaseId,
  revisions: readonly ReleaseRecord[],
): Promise<readonly Leftover[]> {
  return leftoversReader(cluster)(release, revisions)
}

/** Returns a reader of leftovers that reads revisions again only if they changed. */
export function leftoversReader(cluster: Reads): LeftoversReader {
  const cache = new Map<ReleaseId, {readonly version: string; readonly created: readonly LeftoverObject[]}>()
  return async (release, revisions) => {
    const own = revisions.filter((record) => record.release === release)
    if (!own.some(({status}) => status === 'failed')) return []
    const version = own.map(({secret}) => `${secret.uid} ${secret.resourceVersion}`).join()
    const before = cache.get(release)
    const isSame = before?.version === version
    const created = isSame
      ? before.created
      : leftoverObjects(await readAll(cluster, own), releaseNamespace(release))
    cache.set(release, {version, created})
    return existing(cluster, release, created)
  }
}

async function existing(
  cluster: Reads,
  release: ReleaseId,
  created: readonly LeftoverObject[],
): Promise<readonly Leftover[]> {
  const objects = created.map(({object}) => object)
  const revisionOf = new Map(created.map(({object, revision}) => [object, revision]))
  const present = await cluster.live.present(releaseNamespace(release), objects)
  return present.flatMap((each): readonly Leftover[] => {
    const leftover = judgedLeftover(release, each)
    return leftover ? [{...leftover, revision: revisionOf.get(each.object)!}] : []
  })
}

/** Reads the revisions sequentially, because a record has up to 1 MiB. */
async function readAll(cluster: Reads, records: readonly ReleaseRecord[]): Promise<RevisionObjects[]> {
  const base = comparedRevision(records)
  const wanted = records.filter((record) => record === base || /^(failed|superseded)$/.test(record.status))
  const read: RevisionObjects[] = []
  for (const {release, revision, status} of wanted) {
    const stored = await cluster.records.stored(release, revision)
    if (!stored) continue
    const objects = parseManifest(stored.manifest)
    read.push({revision, status, objects, hooks: hookObjects(stored)})
  }
  return read
}

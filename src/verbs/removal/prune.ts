import type {Cluster, HeldLease, ReleaseRecord} from '../../cluster/cluster.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {KkError} from '../../errors.ts'
import {expectOwned} from '../../plan/decide.ts'
import {readLabels} from '../../plan/labels.ts'
import {foreign} from '../../plan/refusals.ts'
import {lastOf} from '../../plan/rollback/ways.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {type Leftover, leftovers} from '../observation/leftovers.ts'
import {releaseOnCluster} from '../observation/release-on-cluster.ts'

/** What failed revisions of one release have left behind. */
export interface Pruning {
  readonly release: ReleaseId
  /** Its last revision. */
  readonly revision: number
  readonly leftovers: readonly Leftover[]
  /** Why nothing of it is deleted now. */
  readonly skipped?: string
}

export interface PruneRequest {
  /** Names on the command line; all of the owner when there are none. */
  readonly names: readonly string[]
  /** The environment by name. */
  readonly owner: string | undefined
}

type Reads = Pick<Cluster, 'revisions' | 'stored' | 'present'>

/** Each reads up to ten records. */
const AT_ONCE = 4

/**
 * Looks for what may be pruned; changes nothing. Throws `KK_FOREIGN` and `KK_OWNER` for a release that is named and is not
 * the environment's, `KK_UNKNOWN_RELEASE`, `KK_NO_ENVIRONMENT` when neither releases nor an environment are named,
 * `KK_RECORD`.
 */
export async function planPrune(cluster: Reads, request: PruneRequest): Promise<readonly Pruning[]> {
  const revisions = await cluster.revisions()
  const records = chosen([...lastOf(revisions).values()], request)
  const found = await mapParallel(records, AT_ONCE, (record) => pruningOf(cluster, record, revisions))
  return found.filter((pruning) => pruning.leftovers.length > 0)
}

async function pruningOf(
  cluster: Reads,
  {release, revision, status}: ReleaseRecord,
  revisions: readonly ReleaseRecord[],
): Promise<Pruning> {
  const found = {release, revision, leftovers: await leftovers(cluster, release, revisions)}
  if (status === 'deployed') return found
  return {...found, skipped: `revision ${revision} is ${status}, and may need them: deploy it first`}
}

function chosen(records: readonly ReleaseRecord[], {names, owner}: PruneRequest): readonly ReleaseRecord[] {
  if (names.length > 0) return names.map((name) => ownRecord(records, name, owner))
  if (owner !== undefined) return records.filter(({labels}) => readLabels(labels)?.owner === owner)
  throw new KkError('KK_NO_ENVIRONMENT', 'no environment is named, and not all of the cluster is meant', {
    hint: 'name an environment file, --owner NAME, or releases',
  })
}

function ownRecord(
  records: readonly ReleaseRecord[],
  name: string,
  owner: string | undefined,
): ReleaseRecord {
  const record = releaseOnCluster(records, name, owner)
  if (owner !== undefined) expectOwned(record, owner)
  if (!readLabels(record.labels)) throw foreign(record)
  return record
}

interface PruneOptions {
  /** Who prunes, as others are told. */
  readonly holder: string
  /** How long somebody who holds the release is waited for, in milliseconds. */
  readonly patience: number
  readonly onHeld: (by: string) => void
}

/**
 * Deletes what may go of those leftovers, under the release's Lease: each is looked at again, and goes under its UID.
 * Resolves with what was deleted; what has changed since it was shown stays. Throws `KK_HELD`, `KK_RACED` when the release
 * has another revision by now, `KK_LEASE_LOST`.
 */
export async function prune(
  cluster: Reads & Pick<Cluster, 'hold' | 'deleteObject'>,
  {release, revision, leftovers: shown}: Pruning,
  {holder, patience, onHeld}: PruneOptions,
): Promise<readonly Leftover[]> {
  const held: HeldLease = await cluster.hold(release, holder, Date.now() + patience, onHeld)
  try {
    const revisions = await cluster.revisions(release)
    const last = revisions.findLast((record) => record.release === release)
    if (last?.revision !== revision || last.status !== 'deployed') throw moved(release, revision)
    const meant = new Set(shown.filter(({kept}) => kept === undefined).map(({uid}) => uid))
    const now = await leftovers(cluster, release, revisions)
    const deleted: Leftover[] = []
    for (const leftover of now.filter(({uid, kept}) => kept === undefined && meant.has(uid))) {
      held.lost.throwIfAborted()
      if (await cluster.deleteObject(leftover)) deleted.push(leftover)
    }
    return deleted
  } finally {
    await held.release().catch(() => undefined)
  }
}

function moved(release: ReleaseId, revision: number): KkError {
  return new KkError('KK_RACED', `${release}: revision ${revision} is not its last any more, or has failed`, {
    hint: `look again: kk drift ${releaseName(release)}`,
  })
}

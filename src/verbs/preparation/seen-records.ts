import type {Cluster, ReleaseRecord} from '../../cluster/cluster.ts'
import {asKkError} from '../../errors.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** The last revisions that this user may see. */
export interface SeenRecords {
  readonly records: readonly ReleaseRecord[]
  /** What is not seen, for people; undefined when the whole cluster is. */
  readonly note: string | undefined
}

/**
 * The records of the whole cluster or, for who may not list these, of the namespaces in which the releases live. That is
 * enough to see what they are, not who uses them: who removes must see all. Throws `KK_FORBIDDEN` when one of these
 * namespaces may not be seen either.
 */
export async function seenRecords(
  cluster: Pick<Cluster, 'records'>,
  releases: readonly ReleaseId[],
): Promise<SeenRecords> {
  try {
    return {records: await cluster.records(), note: undefined}
  } catch (error) {
    return inNamespaces(cluster, releases, error)
  }
}

/** Throws what refused the list of the whole cluster where there is no other way. */
async function inNamespaces(
  cluster: Pick<Cluster, 'records'>,
  releases: readonly ReleaseId[],
  error: unknown,
): Promise<SeenRecords> {
  const namespaces = [...new Set(releases.map(releaseNamespace))].sort()
  if (asKkError(error).code !== 'KK_FORBIDDEN' || namespaces.length === 0) throw error
  const records = await Promise.all(namespaces.map((namespace) => cluster.records(namespace)))
  return {
    records: records.flat(),
    note: unseenNote(namespaces),
  }
}

export function unseenNote(namespaces: readonly string[]): string {
  return `you may not list secrets in all namespaces: only ${namespaces.join(', ')} is seen, not what other environments have elsewhere`
}

import {asKkError} from '../base/errors.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'

/** The last revisions that this user may read. */
export interface VisibleRecords {
  readonly records: readonly ReleaseRecord[]
  /** A note on the namespaces that were not read; undefined if the whole cluster was. */
  readonly note: string | undefined
}

/**
 * Returns the records of the whole cluster or, for a user who may not list these, of the namespaces of the
 * releases. The latter show the state of the releases, but not all of their dependents: a removal must read
 * the whole cluster. Throws `KK_FORBIDDEN` if one of these namespaces may not be read either.
 */
export async function visibleRecords(
  cluster: {readonly records: Records},
  releases: readonly ReleaseId[],
): Promise<VisibleRecords> {
  try {
    return {records: await cluster.records.list(), note: undefined}
  } catch (error) {
    return inNamespaces(cluster, releases, error)
  }
}

/** Returns the records of the known namespaces if listing all was forbidden; throws any other error. */
async function inNamespaces(
  cluster: {readonly records: Records},
  releases: readonly ReleaseId[],
  error: unknown,
): Promise<VisibleRecords> {
  const namespaces = [...new Set(releases.map(releaseNamespace))].sort()
  if (asKkError(error).code !== 'KK_FORBIDDEN' || namespaces.length === 0) throw error
  const records = await Promise.all(namespaces.map((namespace) => cluster.records.list(namespace)))
  return {records: records.flat(), note: unseenNote(namespaces)}
}

const UNSEEN = 'you may not list secrets in all namespaces: '

/**
 * Returns true for a note on unread namespaces; it matters to people, not to accounts that are limited on
 * purpose.
 */
export function isUnseenNote(note: string): boolean {
  return note.startsWith(UNSEEN)
}

export function unseenNote(namespaces: readonly string[]): string {
  return `${UNSEEN}only ${namespaces.join(', ')} is seen, not what other environments have elsewhere`
}

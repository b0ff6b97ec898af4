import {asKkError} from '../base/errors.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'

/** The last revisions that this user may see. */
export interface SeenRecords {
  readonly records: readonly ReleaseRecord[]
  /** A note on what is not seen; undefined if the whole cluster is. */
  readonly note: string | undefined
}

/**
 * Returns the records of the whole cluster or, for a user who may not list these, of the namespaces of the releases.
 * The latter tell the state of the releases, but not all users of them: a removal must see the whole cluster. Throws
 * `KK_FORBIDDEN` if one of these namespaces may not be seen either.
 */
export async function seenRecords(
  cluster: {readonly records: Records},
  releases: readonly ReleaseId[],
): Promise<SeenRecords> {
  try {
    return {records: await cluster.records.list(), note: undefined}
  } catch (error) {
    return inNamespaces(cluster, releases, error)
  }
}

/** Returns the records of the known namespaces where a list of all was refused; throws any other error. */
async function inNamespaces(
  cluster: {readonly records: Records},
  releases: readonly ReleaseId[],
  error: unknown,
): Promise<SeenRecords> {
  const namespaces = [...new Set(releases.map(releaseNamespace))].sort()
  if (asKkError(error).code !== 'KK_FORBIDDEN' || namespaces.length === 0) throw error
  const records = await Promise.all(namespaces.map((namespace) => cluster.records.list(namespace)))
  return {records: records.flat(), note: unseenNote(namespaces)}
}

const UNSEEN = 'you may not list secrets in all namespaces: '

/** Returns true for a note that says what is not seen; it is news to a person, not of an account that is never to see more. */
export function isUnseenNote(note: string): boolean {
  return note.startsWith(UNSEEN)
}

export function unseenNote(namespaces: readonly string[]): string {
  return `${UNSEEN}only ${namespaces.join(', ')} is seen, not what other environments have elsewhere`
}

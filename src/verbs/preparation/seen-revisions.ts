import type {Cluster, ReleaseRecord} from '../../cluster/cluster.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import type {Environment} from '../../environment/environment.ts'
import {asKkError} from '../../errors.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {unseenNote} from './seen-records.ts'

/** Revisions that this user may see. */
export interface SeenRevisions {
  /** Those of a release are ascending. */
  readonly revisions: readonly ReleaseRecord[]
  /** What is not seen, for people; undefined when the whole cluster is. */
  readonly note: string | undefined
}

/** What a command is about, as far as it tells in which namespaces that lives. */
export interface Sought {
  readonly releases?: readonly ReleaseId[]
  /** As the command line names releases: only a name with its namespace tells. */
  readonly names?: readonly string[]
  /** The environment by name: where its file is not at hand, the records of its runs tell. */
  readonly owner?: string | undefined
  readonly environment?: Environment | undefined
}

type Reads = Pick<Cluster, 'revisions' | 'runs'>

const AT_ONCE = 8

/**
 * Every revision on the cluster or, for who may not list these, in the namespaces of what is sought. Throws
 * `KK_FORBIDDEN` when nothing tells a namespace, or one of them may not be seen either.
 */
export async function seenRevisions(cluster: Reads, sought: Sought): Promise<SeenRevisions> {
  try {
    return {revisions: await cluster.revisions(), note: undefined}
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    const namespaces = await namespacesOf(cluster, sought)
    if (namespaces.length === 0) throw error
    const revisions = await mapParallel(namespaces, AT_ONCE, (namespace) => cluster.revisions({namespace}))
    return {revisions: revisions.flat(), note: unseenNote(namespaces)}
  }
}

async function namespacesOf(
  {runs}: Pick<Cluster, 'runs'>,
  {releases = [], names = [], owner, environment}: Sought,
): Promise<readonly string[]> {
  const records = owner === undefined || environment ? [] : await runs.list(owner)
  const run = records.flatMap((record) => record.releases.map(({release}) => release))
  const settings = [...(environment?.releases.values() ?? [])]
  const found = [
    ...[...releases, ...run].map(releaseNamespace),
    ...names.filter((name) => name.includes('/')).map((name) => releaseNamespace(name as ReleaseId)),
    ...(environment ? [environment.namespace] : []),
    ...settings.flatMap(({namespace}) => namespace ?? []),
  ]
  return [...new Set(found)].sort()
}

import {asKkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Environment} from '../environment/environment.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import type {RunRecords} from '../kubernetes/records/runs.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'
import {unseenNote} from './visible-records.ts'

/** Revisions that this user may read. */
export interface VisibleRevisions {
  /** The revisions; those of one release are ascending. */
  readonly revisions: readonly ReleaseRecord[]
  /** A note on the namespaces that were not read; undefined if the whole cluster was. */
  readonly note: string | undefined
}

/** The subject of a command, from which the namespaces of its releases are found. */
export interface CommandSubject {
  readonly releases?: readonly ReleaseId[]
  /** The names on the command line; only names with a namespace are used to find namespaces. */
  readonly names?: readonly string[]
  /** The name of the environment: without its file, its namespaces are read from the records of its runs. */
  readonly owner?: string | undefined
  readonly environment?: Environment | undefined
}

type Reads = {readonly records: Records; readonly runs: RunRecords}

/**
 * Returns every revision on the cluster or, for a user who may not list these, those in the namespaces of the
 * subject. Throws `KK_FORBIDDEN` if no namespace is known, or one of them may not be read either.
 */
export async function visibleRevisions(cluster: Reads, sought: CommandSubject): Promise<VisibleRevisions> {
  try {
    return {revisions: await cluster.records.revisions(), note: undefined}
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    const namespaces = await knownNamespaces(cluster.runs, sought)
    if (namespaces.length === 0) throw error
    const revisions = await mapParallel(namespaces, (namespace) => cluster.records.revisions({namespace}))
    return {revisions: revisions.flat(), note: unseenNote(namespaces)}
  }
}

async function knownNamespaces(
  runs: RunRecords,
  {releases = [], names = [], owner, environment}: CommandSubject,
): Promise<readonly string[]> {
  const records = owner === undefined || environment ? [] : await runs.list(owner)
  const run = records.flatMap((record) => record.releases.map(({release}) => release))
  const settings = [...(environment?.releases.values() ?? [])]
  const namespaces = [
    ...[...releases, ...run].map(releaseNamespace),
    ...names.filter((name) => name.includes('/')).map((name) => releaseNamespace(name as ReleaseId)),
    ...(environment ? [environment.namespace] : []),
    ...settings.flatMap(({namespace}) => namespace ?? []),
  ]
  return [...new Set(namespaces)].sort()
}

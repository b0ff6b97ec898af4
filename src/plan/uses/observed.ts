import {PROTECTED, requiredReleases} from '../../graph/annotations.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {EdgeKind, ReleaseId} from '../../release.ts'
import {type KkLabels, readLabels} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import type {Cleanup} from '../removal/cleanup.ts'

/**
 * The data in the payload of a record about what its release uses and what is deleted with it; or why it is
 * unreadable.
 */
export type RecordFacts =
  | {
      readonly readable: true
      /** The chart's annotations. */
      readonly annotations: Readonly<Record<string, string>>
      /** The namespaces that are deleted, with everything in them, with the release. */
      readonly namespaces: readonly string[]
      /** Its resources in other services. */
      readonly cleanups?: readonly Cleanup[]
    }
  | {readonly readable: false; readonly reason: string}

/** A release as observed on the cluster. */
export interface ObservedRelease {
  readonly release: ReleaseId
  /** The record of its last revision. */
  readonly record: ObservedRecord
  /** The labels of kk; undefined if kk did not install it. */
  readonly labels: KkLabels | undefined
  /** The requirements of every revision whose objects may exist, keyed by `usesLabel`. */
  readonly uses: ReadonlyMap<string, EdgeKind>
  /** The requirements that charts declare, for foreign releases and revisions, which have no labels of kk. */
  readonly declared: readonly string[]
  readonly namespaces: readonly string[]
  /** The resources of each live revision in other services; the last revision comes last. */
  readonly cleanups: readonly Cleanup[]
  readonly protected: boolean
  /** The reason why the record cannot be read; undefined if it can. */
  readonly unreadable: string | undefined
}

/**
 * Returns the revisions of a release whose objects may exist: the last deployed one, and those that failed or
 * have not ended since. If none is deployed, its record is lost, or helm's rollback has failed, which
 * supersedes the deployed one (Helm 4.2: rollback.go performRollback): then the last superseded one replaces
 * it. Returns none if only the history was kept. `revisions` ascend.
 */
export function liveRevisions<T extends Pick<ReleaseRecord, 'status'>>(
  revisions: readonly T[],
): readonly T[] {
  if (revisions.at(-1)?.status === 'uninstalled') return []
  const deployed = revisions.findLastIndex(({status}) => status === 'deployed')
  const base = deployed === -1 ? revisions.findLastIndex(({status}) => status === 'superseded') : deployed
  return revisions.filter(({status}, index) => index === base || (index > base && status !== 'superseded'))
}

/** Returns every release of these revisions, sorted by id. */
export function observeReleases(
  revisions: readonly ObservedRecord[],
  factsOf: (record: ObservedRecord) => RecordFacts | undefined,
  returning: ReadonlySet<ObservedRecord>,
): readonly ObservedRelease[] {
  return [...Map.groupBy(revisions, ({release}) => release)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([release, own]) => {
      const liveRecords = new Set([...liveRevisions(own), ...own.filter((record) => returning.has(record))])
      return observe(
        release,
        own.at(-1)!,
        [...liveRecords].map((each) => ({each, facts: factsOf(each)})),
      )
    })
}

interface LiveRevision {
  readonly each: ObservedRecord
  readonly facts: RecordFacts | undefined
}

function observe(
  release: ReleaseId,
  record: ObservedRecord,
  revisions: readonly LiveRevision[],
): ObservedRelease {
  const live = revisions.map(({each, facts}) => ({
    labels: readLabels(each.labels),
    revision: each.revision,
    facts,
  }))
  const unreadable = live.find(({facts}) => facts?.readable === false)?.facts
  // Helm copies labels to revisions that kk did not make, which may use more than their labels list.
  const unlabelled = live.filter(({labels, revision}) => labels?.revision !== revision)
  // A requirement is `ready` if it is in one of the revisions.
  const used = live.flatMap(({labels}) => [...(labels?.uses ?? [])])
  return {
    release,
    record,
    labels: readLabels(record.labels),
    uses: new Map([...used, ...used.filter(([, kind]) => kind === 'ready')]),
    declared: unlabelled.flatMap(({facts}) => (facts?.readable ? requiredReleases(facts.annotations) : [])),
    protected: isProtected(readLabels(record.labels), live.at(-1)?.facts),
    namespaces: live.flatMap(({facts}) => (facts?.readable ? facts.namespaces : [])),
    cleanups: live.flatMap(({facts}) => (facts?.readable ? (facts.cleanups ?? []) : [])),
    unreadable: unreadable && !unreadable.readable ? unreadable.reason : undefined,
  }
}

/**
 * Returns the label that kk wrote when it installed the release; without one, the annotation of its chart.
 */
function isProtected(labels: KkLabels | undefined, facts: RecordFacts | undefined): boolean {
  if (labels?.protected !== undefined) return labels.protected
  return facts?.readable === true && facts.annotations[PROTECTED] === 'true'
}

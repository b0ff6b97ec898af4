import type {ReleaseRecord} from '../../cluster/cluster.ts'
import type {ReleaseId} from '../../release.ts'
import {type KkLabels, readLabels} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import {declaredIn} from './declared.ts'

/** What the payload of a record tells of what its release uses, and of what goes with it; or that it cannot be read. */
export type RecordFacts =
  | {
      readonly readable: true
      /** The chart's annotations. */
      readonly annotations: Readonly<Record<string, string>>
      /** The namespaces that go, with everything in them, when the release goes. */
      readonly namespaces: readonly string[]
    }
  | {readonly readable: false; readonly reason: string}

/** A release as the cluster knows it. */
export interface ObservedRelease {
  readonly release: ReleaseId
  /** Its last revision. */
  readonly record: ObservedRecord
  /** Undefined when kk did not install it. */
  readonly labels: KkLabels | undefined
  /** Names that `usesLabel` makes, of every revision whose objects may exist. */
  readonly uses: ReadonlySet<string>
  /** What the charts declare to require where labels do not tell: of foreign releases, and of revisions that kk did not make. */
  readonly declared: readonly string[]
  readonly namespaces: readonly string[]
  readonly protected: boolean
  /** Why the record cannot be read; undefined when it can. */
  readonly unreadable: string | undefined
}

const PROTECTED = 'kk.openstack.org/protected'

/**
 * The revisions of a release whose objects may exist: the last deployed one, and what failed or has not ended since.
 * None when only the history was kept. `revisions` ascend.
 */
export function livingRevisions(revisions: readonly ReleaseRecord[]): readonly ReleaseRecord[] {
  if (revisions.at(-1)?.status === 'uninstalled') return []
  const deployed = revisions.findLastIndex(({status}) => status === 'deployed')
  return revisions.slice(Math.max(0, deployed)).filter(({status}) => status !== 'superseded')
}

/** Every release on the cluster, from all revisions of all; `factsOf` is asked for living revisions only. */
export function observeReleases(
  records: readonly ObservedRecord[],
  factsOf: (record: ReleaseRecord) => RecordFacts,
): readonly ObservedRelease[] {
  return [...Map.groupBy(records, ({release}) => release)].map(([release, revisions]) =>
    observe(release, revisions, factsOf),
  )
}

function observe(
  release: ReleaseId,
  revisions: readonly ObservedRecord[],
  factsOf: (record: ReleaseRecord) => RecordFacts,
): ObservedRelease {
  const record = revisions.at(-1)!
  const living = livingRevisions(revisions).map((each) => ({
    labels: readLabels(each.labels),
    revision: each.revision,
    facts: factsOf(each),
  }))
  const unreadable = living.find(({facts}) => !facts.readable)?.facts
  // Helm hands labels down to revisions that kk did not make: what they say may be less than what is used.
  const untold = living.filter(({labels, revision}) => labels?.revision !== revision)
  return {
    release,
    record,
    labels: readLabels(record.labels),
    uses: new Set(living.flatMap(({labels}) => [...(labels?.uses.keys() ?? [])])),
    declared: untold.flatMap(({facts}) => (facts.readable ? declaredIn(facts.annotations) : [])),
    protected: isProtected(readLabels(record.labels), living.at(-1)?.facts),
    namespaces: living.flatMap(({facts}) => (facts.readable ? facts.namespaces : [])),
    unreadable: unreadable && !unreadable.readable ? unreadable.reason : undefined,
  }
}

/** What kk noted when it installed the release; else what its chart says. */
function isProtected(labels: KkLabels | undefined, facts: RecordFacts | undefined): boolean {
  if (labels?.protected !== undefined) return labels.protected
  return facts?.readable === true && facts.annotations[PROTECTED] === 'true'
}

import {components} from '../../graph/components.ts'
import {dependents} from '../../graph/dependents.ts'
import {type Edge, type Graph, reverse} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import {lastOf} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {LayerName} from '../../overrides/layer.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {readLabels, usesLabel} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import type {Action, Plan} from '../plan.ts'
import {recordedChart} from '../recorded-chart.ts'
import {sectionOfRecord} from '../shape.ts'
import {usesOf} from '../uses/uses.ts'
import {crossesMigration, requirementGone} from './refusals.ts'
import type {RollbackTarget} from './targets.ts'
import {type Way, waysBack} from './ways.ts'

export interface RollbackInputs {
  readonly environment: string
  readonly file: string
  readonly cluster: Plan['cluster']
  readonly targets: readonly RollbackTarget[]
  /** Every revision that helm keeps, of every release that is seen. */
  readonly revisions: readonly ObservedRecord[]
  /** The migrations that a release would cross, by the names of their Jobs. */
  readonly migrations: ReadonlyMap<ReleaseId, readonly string[]>
  /** Cross migrations, and leave the schema as it is. */
  readonly keepSchema: boolean
  /** What else is to be known. */
  readonly notes: readonly string[]
  /** What is not seen of the cluster, for people; undefined when all is. */
  readonly unseen?: string | undefined
}

type RollbackKind = 'rollback' | 'await' | 'check' | 'unchanged'

export type RollbackPlan = Plan<RollbackKind>

/**
 * The way back: dependents first, then what they require; at the end, all that depend on what returned pass their gates
 * again. Throws `KK_PRUNED`, `KK_NO_REVISION`, `KK_MIGRATION`, `KK_NOT_INSTALLED`, `KK_FOREIGN`, `KK_OWNER`,
 * `KK_HANDED_OVER`, `KK_PENDING`.
 */
export function makeRollbackPlan(inputs: RollbackInputs): RollbackPlan {
  const {environment, file, cluster, targets, keepSchema, migrations} = inputs
  const ways = waysBack(inputs)
  const crossings = targets
    .filter(({release}) => ways.get(release)!.kind === 'rollback')
    .map(({release}) => ({release, jobs: migrations.get(release) ?? []}))
    .filter(({jobs}) => jobs.length > 0)
  if (crossings.length > 0 && !keepSchema) throw crossesMigration(crossings)

  const last = lastOf(inputs.revisions)
  const {graph: uses} = usesOf({
    revisions: inputs.revisions,
    returning: new Set([...ways.values()].map(({to}) => to)),
  })
  const returning = targets.map(({release}) => release).filter((each) => ways.get(each)!.kind === 'rollback')
  const checked = dependents(uses, returning).filter((release) => {
    const {labels, status} = last.get(release)!
    return !ways.has(release) && readLabels(labels) !== undefined && status !== 'uninstalling'
  })
  const graph = orderBack(uses, {returning: new Set(ways.keys()), checked: new Set(checked), last})
  const jobsOf = new Map(crossings.map(({release, jobs}) => [release, jobs]))
  return {
    environment,
    file,
    cluster,
    actions: actionsOf(graph, {ways, last, jobsOf, unseen: inputs.unseen}),
    bystanders: [],
    notes: [...inputs.notes, ...againNotes(returning, {ways, last}), ...unseenNotes(inputs)],
  }
}

interface Observed {
  readonly ways: ReadonlyMap<ReleaseId, Way>
  readonly last: ReadonlyMap<ReleaseId, ReleaseRecord>
  readonly jobsOf: ReadonlyMap<ReleaseId, readonly string[]>
  readonly unseen: string | undefined
}

function actionsOf(graph: Graph, {ways, last, jobsOf, unseen}: Observed): RollbackPlan['actions'] {
  const groupOf = new Map(
    components(graph).flatMap((group) => group.map((member) => [member, group] as const)),
  )
  const checked = graph.releases.filter((release) => !ways.has(release))
  const causes = new Set(checked.flatMap((release) => graph.requirements.get(release)!.map(({to}) => to)))
  return order(graph).map((release): Action<RollbackKind> => {
    const record = last.get(release)!
    const way = ways.get(release)
    const {to = record, recovers} = way ?? {}
    const jobs = jobsOf.get(release)
    const schema = jobs ? [`keeps the schema that ${jobs.join(', ')} made`] : []
    const facts = {
      release,
      reasons: way ? [way.reason, ...schema] : ['depends on what is rolled back'],
      chart: recordedChart(release, to),
      requires: graph.requirements.get(release)!.map(({to, kind}) => ({release: to, kind})),
      group: groupOf.get(release)!,
      revision: record.revision,
      uid: record.secret.uid,
      inputs: readLabels(to.labels)?.inputs ?? '',
      protected: false,
    }
    if (way?.kind !== 'rollback') return {...facts, kind: way?.kind ?? 'check'}
    return {
      ...facts,
      kind: way.kind,
      target: to.revision,
      uses: usesOfRevision(to, {last, unseen}),
      ...(recovers !== undefined && {recovers}),
      ...(causes.has(release) && {rechecks: true}),
    }
  })
}

/** What a revision required is a condition of its return. Throws `KK_NOT_INSTALLED`. */
function usesOfRevision(
  {release, revision, labels}: ReleaseRecord,
  {last, unseen}: Pick<Observed, 'last' | 'unseen'>,
): Action<'rollback'>['uses'] {
  const installed = [...last.values()].filter(({status}) => status !== 'uninstalled')
  const releaseOf = new Map(installed.map((each) => [usesLabel(each.release), each.release]))
  return [...(readLabels(labels)?.uses ?? [])].map(([name, kind]) => {
    const required = releaseOf.get(name)
    if (required === undefined) throw requirementGone(release, revision, unseen)
    return {release: required, kind}
  })
}

/** What the next deploy would make of it, as far as the labels of both revisions tell. */
function againNotes(
  returning: readonly ReleaseId[],
  {ways, last}: Pick<Observed, 'ways' | 'last'>,
): readonly string[] {
  const byWord = Map.groupBy(returning, (release) => {
    const [now, then] = [last.get(release)!, ways.get(release)!.to].map(
      ({labels}) => readLabels(labels)?.layers,
    )
    const differing = [...new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])].filter(
      (layer) => now?.get(layer) !== then?.get(layer),
    )
    if (differing.length === 0 || differing.some((layer) => !COMMAND_LINE.has(layer))) return 'file'
    return [...COMMAND_LINE].some((layer) => then?.has(layer)) ? 'given' : 'undone'
  })
  const notes = {
    file: (names: string) =>
      `the environment file still wants the newer inputs: kk deploy would upgrade ${names} again until it is changed back`,
    given: (names: string) =>
      `${names} had other --set or --values then: kk deploy without these would upgrade again`,
    undone: (names: string) =>
      `of ${names} only --set or --values is undone, which the environment file does not have: kk deploy without it leaves this so`,
  }
  return Object.entries(notes).flatMap(([word, note]) => {
    const names = byWord
      .get(word as keyof typeof notes)
      ?.map(releaseName)
      .join(', ')
    return names === undefined ? [] : [note(names)]
  })
}

/** Layers of values that no file of the environment has. */
const COMMAND_LINE: ReadonlySet<string> = new Set(['values', 'set'] satisfies LayerName[])

function unseenNotes({unseen}: RollbackInputs): readonly string[] {
  return unseen === undefined ? [] : [`${unseen}: dependents there are not checked afterwards`]
}

interface Back extends Pick<Observed, 'last'> {
  readonly returning: ReadonlySet<ReleaseId>
  readonly checked: ReadonlySet<ReleaseId>
}

/** Who waits for whom: what returns waits until its dependents have returned, what is checked for all that it uses. */
function orderBack(uses: Graph, {returning, checked, last}: Back): Graph {
  const backwards = reverse(withPartsAhead(uses, last))
  const releases = uses.releases.filter((release) => returning.has(release) || checked.has(release))
  const edges = (release: ReleaseId) =>
    returning.has(release)
      ? reached(backwards, release, returning)
      : reached(uses, release, new Set([...returning, ...checked]))
  return {releases, requirements: new Map(releases.map((release) => [release, edges(release)]))}
}

/**
 * Returns the graph with the edges among the parts of a section turned round, so that these return in the order in which they are
 * deployed: pods of a component read the configuration of the common part when they start, and not again. What one part requires
 * beside, all of them do here.
 */
function withPartsAhead(uses: Graph, last: Observed['last']): Graph {
  const sectionOf = (release: ReleaseId) => {
    const record = last.get(release)
    return record && sectionOfRecord(record)
  }
  const partsOf = Map.groupBy(uses.releases, sectionOf)
  const turned = (edge: Edge): readonly Edge[] => {
    const section = sectionOf(edge.from)
    if (section === undefined) return [edge]
    if (section === sectionOf(edge.to)) return [{...edge, from: edge.to, to: edge.from}]
    return partsOf.get(section)!.map((from) => ({...edge, from}))
  }
  const edges = [...uses.requirements.values()].flat().flatMap(turned)
  const leaving = Map.groupBy(edges, ({from}) => from)
  return {
    releases: uses.releases,
    requirements: new Map(uses.releases.map((release) => [release, leaving.get(release) ?? []])),
  }
}

/** Edges to the first of these releases on every path. A detour through others counts as `ready`. */
function reached(graph: Graph, from: ReleaseId, ends: ReadonlySet<ReleaseId>): readonly Edge[] {
  const found = new Map<ReleaseId, Edge>()
  const seen = new Set<ReleaseId>([from])
  const open = [...graph.requirements.get(from)!]
  for (let edge = open.shift(); edge; edge = open.shift()) {
    const isDirect = edge.from === from
    if (ends.has(edge.to) && edge.to !== from) {
      const kind = isDirect ? edge.kind : 'ready'
      if (found.get(edge.to)?.kind !== 'ready') found.set(edge.to, {...edge, from, kind})
      continue
    }
    if (seen.has(edge.to)) continue
    seen.add(edge.to)
    open.push(...graph.requirements.get(edge.to)!)
  }
  return [...found.values()]
}

import {components} from '../../graph/components.ts'
import {dependents} from '../../graph/dependents.ts'
import {type Edge, type Graph, reverse} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {LayerName} from '../../overrides/layer.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {readLabels, usesLabel} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import type {Action, Plan} from '../plan.ts'
import {recordedChart} from '../recorded-chart.ts'
import {sectionOfRecord} from '../shape.ts'
import {usesOf} from '../uses/uses.ts'
import {crossesMigration, type RestorableDump, requirementGone} from './refusals.ts'
import type {RollbackTarget} from './targets.ts'
import {type RollbackStep, rollbackSteps} from './ways.ts'

export interface RollbackInputs {
  readonly environment: string
  readonly file: string
  readonly cluster: Plan['cluster']
  readonly targets: readonly RollbackTarget[]
  /** Every revision that helm keeps, of every visible release. */
  readonly revisions: readonly ObservedRecord[]
  /** The migrations that the rollback of a release would cross, by the names of their Jobs. */
  readonly migrations: ReadonlyMap<ReleaseId, readonly string[]>
  /** The dumps from before these migrations. */
  readonly dumps?: readonly RestorableDump[]
  /** Cross migrations, and leave the schema as it is. */
  readonly keepSchema: boolean
  /** Further notes for people. */
  readonly notes: readonly string[]
  /** The part of the cluster that is not visible, for people; undefined if all of it is. */
  readonly unseen?: string | undefined
}

type RollbackKind = 'rollback' | 'await' | 'check' | 'unchanged'

export type RollbackPlan = Plan<RollbackKind>

/**
 * Returns the plan of a rollback: dependents first, then their requirements; at the end, all dependents of
 * returned releases pass their gates again. Throws `KK_PRUNED`, `KK_NO_REVISION`, `KK_MIGRATION`,
 * `KK_NOT_INSTALLED`, `KK_FOREIGN`, `KK_OWNER`, `KK_HANDED_OVER`, `KK_PENDING`.
 */
export function makeRollbackPlan(inputs: RollbackInputs): RollbackPlan {
  const {environment, file, cluster, targets, keepSchema, migrations, dumps} = inputs
  const steps = rollbackSteps(inputs)
  const crossings = targets
    .filter(({release}) => steps.get(release)!.kind === 'rollback')
    .map(({release}) => ({release, jobs: migrations.get(release) ?? []}))
    .filter(({jobs}) => jobs.length > 0)
  if (crossings.length > 0 && !keepSchema) throw crossesMigration(crossings, dumps)

  const last = lastRevisions(inputs.revisions)
  const {graph: uses} = usesOf({
    revisions: inputs.revisions,
    returning: new Set([...steps.values()].map(({to}) => to)),
  })
  const returning = targets.map(({release}) => release).filter((each) => steps.get(each)!.kind === 'rollback')
  const checked = dependents(uses, returning).filter((release) => {
    const {labels, status} = last.get(release)!
    return !steps.has(release) && readLabels(labels) !== undefined && status !== 'uninstalling'
  })
  const graph = returnOrder(uses, {returning: new Set(steps.keys()), checked: new Set(checked), last})
  const jobsByRelease = new Map(crossings.map(({release, jobs}) => [release, jobs]))
  return {
    environment,
    file,
    cluster,
    actions: makeActions(graph, {steps, last, jobsByRelease, unseen: inputs.unseen}),
    bystanders: [],
    notes: [...inputs.notes, ...nextDeployNotes(returning, {steps, last}), ...unseenNotes(inputs)],
  }
}

interface ObservedReleases {
  readonly steps: ReadonlyMap<ReleaseId, RollbackStep>
  readonly last: ReadonlyMap<ReleaseId, ReleaseRecord>
  readonly jobsByRelease: ReadonlyMap<ReleaseId, readonly string[]>
  readonly unseen: string | undefined
}

function makeActions(
  graph: Graph,
  {steps, last, jobsByRelease, unseen}: ObservedReleases,
): RollbackPlan['actions'] {
  const groupByRelease = new Map(
    components(graph).flatMap((group) => group.map((member) => [member, group] as const)),
  )
  const checked = graph.releases.filter((release) => !steps.has(release))
  const causes = new Set(checked.flatMap((release) => graph.requirements.get(release)!.map(({to}) => to)))
  return order(graph).map((release): Action<RollbackKind> => {
    const record = last.get(release)!
    const step = steps.get(release)
    const {to = record, recovers} = step ?? {}
    const jobs = jobsByRelease.get(release)
    const schema = jobs ? [`keeps the schema that ${jobs.join(', ')} made`] : []
    const facts = {
      release,
      reasons: step ? [step.reason, ...schema] : ['depends on a release that is rolled back'],
      chart: recordedChart(release, to),
      requires: graph.requirements.get(release)!.map(({to, kind}) => ({release: to, kind})),
      group: groupByRelease.get(release)!,
      revision: record.revision,
      uid: record.secret.uid,
      inputs: readLabels(to.labels)?.inputs ?? '',
      protected: false,
    }
    if (step?.kind !== 'rollback') return {...facts, kind: step?.kind ?? 'check'}
    return {
      ...facts,
      kind: step.kind,
      target: to.revision,
      uses: usesOfRevision(to, {last, unseen}),
      ...(recovers !== undefined && {recovers}),
      ...(causes.has(release) && {rechecks: true}),
    }
  })
}

/** Returns the requirements of a revision, which are conditions of its return. Throws `KK_NOT_INSTALLED`. */
function usesOfRevision(
  {release, revision, labels}: ReleaseRecord,
  {last, unseen}: Pick<ObservedReleases, 'last' | 'unseen'>,
): Action<'rollback'>['uses'] {
  const installed = [...last.values()].filter(({status}) => status !== 'uninstalled')
  const releaseByLabel = new Map(installed.map((each) => [usesLabel(each.release), each.release]))
  return [...(readLabels(labels)?.uses ?? [])].map(([name, kind]) => {
    const required = releaseByLabel.get(name)
    if (required === undefined) throw requirementGone(release, revision, unseen)
    return {release: required, kind}
  })
}

/** Returns notes of what the next deploy would do, as far as the labels of both revisions show. */
function nextDeployNotes(
  returning: readonly ReleaseId[],
  {steps, last}: Pick<ObservedReleases, 'steps' | 'last'>,
): readonly string[] {
  const byWord = Map.groupBy(returning, (release) => {
    const [now, then] = [last.get(release)!, steps.get(release)!.to].map(
      ({labels}) => readLabels(labels)?.layers,
    )
    const differing = [...new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])].filter(
      (layer) => now?.get(layer) !== then?.get(layer),
    )
    if (differing.length === 0 || differing.some((layer) => !COMMAND_LINE.has(layer))) return 'file'
    return [...COMMAND_LINE].some((layer) => then?.has(layer)) ? 'flags' : 'undone'
  })
  const notes = {
    file: (names: string) =>
      `the environment file still wants the newer inputs: kk deploy would upgrade ${names} again until it is changed back`,
    flags: (names: string) =>
      `${names} had other --set or --values then: kk deploy without these would upgrade again`,
    undone: (names: string) =>
      `of ${names} only --set or --values is undone, which the environment file does not have: kk deploy without it keeps this state`,
  }
  return Object.entries(notes).flatMap(([word, note]) => {
    const names = byWord
      .get(word as keyof typeof notes)
      ?.map(releaseName)
      .join(', ')
    return names === undefined ? [] : [note(names)]
  })
}

/** Layers of values that no file of the environment contains. */
const COMMAND_LINE: ReadonlySet<string> = new Set(['values', 'set'] satisfies LayerName[])

function unseenNotes({unseen}: RollbackInputs): readonly string[] {
  return unseen === undefined ? [] : [`${unseen}: dependents there are not checked afterwards`]
}

interface ReturnOrderOptions extends Pick<ObservedReleases, 'last'> {
  readonly returning: ReadonlySet<ReleaseId>
  readonly checked: ReadonlySet<ReleaseId>
}

/**
 * Returns the order: a returning release waits until its dependents have returned, a checked one for its
 * requirements.
 */
function returnOrder(uses: Graph, {returning, checked, last}: ReturnOrderOptions): Graph {
  const backwards = reverse(withPartsAhead(uses, last))
  const releases = uses.releases.filter((release) => returning.has(release) || checked.has(release))
  const edges = (release: ReleaseId) =>
    returning.has(release)
      ? reached(backwards, release, returning)
      : reached(uses, release, new Set([...returning, ...checked]))
  return {releases, requirements: new Map(releases.map((release) => [release, edges(release)]))}
}

/**
 * Returns the graph with the edges among the parts of a section reversed, so that these return in the order
 * in which they are deployed: pods of a component read the configuration of the common part only when they
 * start. Other requirements of one part count for all parts of the section.
 */
function withPartsAhead(uses: Graph, last: ObservedReleases['last']): Graph {
  const findSection = (release: ReleaseId) => {
    const record = last.get(release)
    return record && sectionOfRecord(record)
  }
  const partsBySection = Map.groupBy(uses.releases, findSection)
  const reverseEdge = (edge: Edge): readonly Edge[] => {
    const section = findSection(edge.from)
    if (section === undefined) return [edge]
    if (section === findSection(edge.to)) return [{...edge, from: edge.to, to: edge.from}]
    return partsBySection.get(section)!.map((from) => ({...edge, from}))
  }
  const edges = [...uses.requirements.values()].flat().flatMap(reverseEdge)
  const leaving = Map.groupBy(edges, ({from}) => from)
  return {
    releases: uses.releases,
    requirements: new Map(uses.releases.map((release) => [release, leaving.get(release) ?? []])),
  }
}

/**
 * Returns edges to the first of these releases on every path. A path through other releases counts as
 * `ready`.
 */
function reached(graph: Graph, from: ReleaseId, ends: ReadonlySet<ReleaseId>): readonly Edge[] {
  const nearest = new Map<ReleaseId, Edge>()
  const seen = new Set<ReleaseId>([from])
  const open = [...graph.requirements.get(from)!]
  for (let edge = open.shift(); edge; edge = open.shift()) {
    const isDirect = edge.from === from
    if (ends.has(edge.to) && edge.to !== from) {
      const kind = isDirect ? edge.kind : 'ready'
      if (nearest.get(edge.to)?.kind !== 'ready') nearest.set(edge.to, {...edge, from, kind})
      continue
    }
    if (seen.has(edge.to)) continue
    seen.add(edge.to)
    open.push(...graph.requirements.get(edge.to)!)
  }
  return [...nearest.values()]
}

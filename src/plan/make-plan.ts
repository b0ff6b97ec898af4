import {KkError} from '../base/errors.ts'
import {type Edge, type Graph, isInferred, reverse} from '../graph/graph.ts'
import {groups} from '../graph/groups.ts'
import {requirements} from '../graph/requirements.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {hasAllOf} from './adoption.ts'
import {checkOnly, decide, expectOwned, ownership} from './decision/decide.ts'
import type {Decision} from './decision/decision.ts'
import {recheckDependents} from './dependents/recheck.ts'
import type {DesiredRelease} from './desired.ts'
import {inputsDigest} from './digest.ts'
import {layersOf, readLabels} from './labels.ts'
import type {ObservedRecord} from './pending/evidence.ts'
import type {Action, DeployKind, Plan, PlannedRequirement, UntouchedRelease} from './plan.ts'
import {recordedChart} from './recorded-chart.ts'
import {handedOver, notInstalled, ownedByOthers} from './refusals.ts'
import {type PlanMode, scope} from './scope.ts'
import {expectShapes} from './shape.ts'

export interface PlanInputs {
  readonly environment: string
  /** As the user wrote it; `-` for standard input. */
  readonly file: string
  readonly cluster: Plan['cluster']
  readonly graph: Graph
  /**
   * The releases with inputs. A release of the graph that is missing here is only used: this environment
   * neither installs nor changes it.
   */
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  /** The last revision of every release on the cluster, in any order. */
  readonly records: readonly ObservedRecord[]
  /**
   * Every visible revision, those of a release ascending: an earlier one may have requirements that the last
   * lacks.
   */
  readonly revisions?: readonly ObservedRecord[]
  readonly mode: PlanMode
  /**
   * Releases that need an action although their inputs are the same: what they need does not happen on its
   * own.
   */
  readonly stuck?: ReadonlyMap<ReleaseId, Decision>
  /** Show a wanted release that kk did not install as one to be adopted, instead of throwing `KK_FOREIGN`. */
  readonly showForeign?: boolean
  /** Releases whose objects differ from their manifests, with the differences; helm runs again for them. */
  readonly drifted?: ReadonlyMap<ReleaseId, string>
}

/**
 * Compares the desired state with the observed one; equal inputs give equal plans. Every dependent of a
 * changed release is checked afterwards, whatever environment it belongs to. Throws `KK_FOREIGN`, `KK_OWNER`,
 * `KK_HANDED_OVER`, what `expectShapes` throws, `KK_PENDING`, `KK_NOT_INSTALLED`, `KK_UNKNOWN_RELEASE` for a
 * named release that the graph does not have, and `KK_USAGE` for flag values of a release that must not
 * change.
 */
export function makePlan(inputs: PlanInputs): Plan<DeployKind> {
  const {environment, file, cluster, graph, records, revisions = records} = inputs
  const recordByRelease = new Map(records.map((record) => [record.release, record]))
  const selected = scope(graph, inputs.mode, new Set(recordByRelease.keys()))
  refuseStatedElsewhere(inputs, [...selected.keys()], recordByRelease)
  refuseHandedOver(inputs, selected, recordByRelease)
  expectShapes({selected, desired: inputs.desired, records})
  const toAdopt = inputs.showForeign
    ? foreignAmong(selected, {...inputs, recordByRelease})
    : new Set<ReleaseId>()
  const decided = decideAll(
    inputs,
    recordByRelease,
    new Map([...selected].filter(([each]) => !toAdopt.has(each))),
  )
  expectFlagsTakeEffect({desired: inputs.desired, mode: inputs.mode, selected})
  const corrected = withNeededChecks(correct(unstick(decided, inputs.stuck), inputs.drifted), graph)
  const {decisions, added} = recheckDependents(corrected, {
    graph,
    revisions: revisions.filter(({release}) => !toAdopt.has(release)),
  })
  const groupByRelease = groups(graph)

  const actions = [...decisions].map(([release, decision]): Action<DeployKind> => {
    const desired = inputs.desired.get(release)
    const record = recordByRelease.get(release)
    return {
      ...decision,
      release,
      chart: shownChart(decision.kind, desired, record) ?? recordedChart(release, record),
      requires: graph.requirements
        .get(release)!
        .filter((edge) => decisions.has(edge.to))
        .map(planned),
      group: groupByRelease.get(release)!.filter((member) => decisions.has(member)),
      revision: record?.revision ?? 0,
      ...(record && {uid: record.secret.uid}),
      inputs: desired ? inputsDigest(desired) : '',
      protected: desired?.protected ?? false,
    }
  })
  return {
    environment,
    file,
    cluster,
    actions: [...actions, ...added],
    bystanders: untouchedReleases({environment, graph, records, toAdopt}),
    ...notes(inputs, recordByRelease),
  }
}

function planned(edge: Edge): PlannedRequirement {
  const inferred = isInferred(edge) && edge.evidence.map(({file, text}) => `${file}: ${text}`)
  return {release: edge.to, kind: edge.kind, ...(inferred && {inferred})}
}

type Decisions = ReadonlyMap<ReleaseId, Decision>
type Records = ReadonlyMap<ReleaseId, ObservedRecord>
type Scope = ReturnType<typeof scope>

/** Reports all releases at once: after an environment is renamed, it no longer owns any of its releases. */
function refuseStatedElsewhere(
  {desired, file, graph, records}: PlanInputs,
  selected: readonly ReleaseId[],
  recordByRelease: Records,
): void {
  const owned = selected.flatMap((release) => {
    const [record, wanted] = [recordByRelease.get(release), desired.get(release)]
    const owner = record && readLabels(record.labels)?.owner
    return wanted?.stated && owner !== undefined && owner !== wanted.owner ? [{release, owner}] : []
  })
  if (owned.length === 0) return
  const renamed = owned.map(({owner}) => owner).filter((owner) => hasAllOf(owner, graph, records))
  throw ownedByOthers(owned, file, new Set(renamed))
}

/** Reports all releases at once, also unchanged ones: deploying them means to manage them. */
function refuseHandedOver(
  {desired, environment}: PlanInputs,
  selected: Scope,
  recordByRelease: Records,
): void {
  const handedOverReleases = [...selected].flatMap(([release, role]) => {
    const record = recordByRelease.get(release)
    const {owner, exportedTo: tool} = (record && readLabels(record.labels)) ?? {}
    const isManaged = role === 'change' && desired.has(release) && owner === environment
    return isManaged && tool !== undefined ? [{release, tool}] : []
  })
  if (handedOverReleases.length > 0) throw handedOver(handedOverReleases)
}

/** Returns the releases that would change, or have a chart here, and that kk did not install. */
function foreignAmong(
  selected: Scope,
  {desired, recordByRelease}: Pick<PlanInputs, 'desired'> & {readonly recordByRelease: Records},
): ReadonlySet<ReleaseId> {
  const isForeign = (record: ObservedRecord | undefined) => record && !readLabels(record.labels)
  const concerned = [...selected].filter(([release, role]) => role === 'change' || desired.has(release))
  return new Set(concerned.map(([release]) => release).filter((each) => isForeign(recordByRelease.get(each))))
}

function decideAll(inputs: PlanInputs, recordByRelease: Records, selected: Scope): Decisions {
  const {environment, graph, mode, file} = inputs
  const dependents = reverse(graph).requirements
  const mayInstall = mode.kind === 'all' || (mode.kind === 'named' && mode.install)

  const decideOne = (release: ReleaseId, role: 'change' | 'use'): Decision => {
    const desired = inputs.desired.get(release)
    const record = recordByRelease.get(release)
    if (record && role === 'change' && mode.kind === 'named') expectOwned(record, environment)
    if (desired && role === 'change' && (record || mayInstall)) return decide(desired, record, file)
    const users = dependents.get(release)!.map((edge) => releaseName(edge.to))
    const reason = users.length === 0 ? undefined : `required by ${users.join(', ')}`
    if (!record) throw notInstalled(release, reason)
    if (desired) ownership(desired, record, file)
    return checkOnly(record, reason ?? 'only used by this environment')
  }
  return new Map([...selected].map(([release, role]) => [release, decideOne(release, role)]))
}

/** Takes the action that a release needs though its inputs are the same. */
function unstick(decisions: Decisions, stuck: PlanInputs['stuck']): Decisions {
  if (!stuck) return decisions
  return new Map(
    [...decisions].map(([release, decision]) => {
      const isOwn = decision.kind === 'await' || decision.kind === 'unchanged'
      return [release, (isOwn ? stuck.get(release) : undefined) ?? decision]
    }),
  )
}

const CORRECTED: ReadonlySet<Decision['kind']> = new Set(['unchanged', 'relabel', 'await'])

/**
 * Upgrades drifted releases to their present inputs; releases that are only used are not this environment's
 * to correct.
 */
function correct(decisions: Decisions, drifted: PlanInputs['drifted']): Decisions {
  if (!drifted) return decisions
  return new Map(
    [...decisions].map(([release, decision]) => {
      const reason = CORRECTED.has(decision.kind) ? drifted.get(release) : undefined
      const {reasons} = decision
      return [release, reason === undefined ? decision : {kind: 'upgrade', reasons: [reason, ...reasons]}]
    }),
  )
}

/** Checks a release only if an action on one of its dependents follows. */
function withNeededChecks(decisions: Decisions, graph: Graph): Decisions {
  const acting = [...decisions.keys()].filter((release) => acts(decisions.get(release)!))
  const needed = new Set(requirements(graph, acting))
  const direct = new Set(acting.flatMap((release) => graph.requirements.get(release)!.map(({to}) => to)))
  const unstuck = (release: ReleaseId, decision: Decision): Decision => {
    if (decision.kind === 'check' && !needed.has(release))
      return {kind: 'unchanged', reasons: [...decision.reasons, 'nothing that requires it changes']}
    if (decision.kind === 'unchanged' && direct.has(release))
      return {kind: 'check', reasons: ['what requires it changes']}
    return decision
  }
  return new Map([...decisions].map(([release, decision]) => [release, unstuck(release, decision)]))
}

function acts({kind}: Decision): boolean {
  return kind === 'install' || kind === 'upgrade' || kind === 'await'
}

/**
 * Returns the desired chart; undefined for a release that this plan leaves as is and whose chart is another
 * one.
 */
function shownChart(
  kind: Decision['kind'],
  desired: DesiredRelease | undefined,
  record: ObservedRecord | undefined,
): Action['chart'] | undefined {
  if (!desired) return undefined
  const isKept = kind === 'check' || kind === 'unchanged'
  const labels = record && readLabels(record.labels)
  if (isKept && labels?.layers.get('chart') !== layersOf(desired).get('chart')) return undefined
  const {name, version, appVersion} = desired.chart
  return {name, version, appVersion}
}

/** Returns a note of the wanted releases that a verb without installation skips. */
function notes({graph, mode}: PlanInputs, recordByRelease: Records): Pick<Plan, 'notes'> {
  if (mode.kind !== 'installed') return {}
  const missing = graph.releases.filter((release) => !recordByRelease.has(release)).map(releaseName)
  if (missing.length === 0) return {}
  return {notes: [`not installed, and left so: ${missing.join(', ')}; kk deploy installs`]}
}

interface DecisionInputs {
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  readonly mode: PlanMode
  /** The releases in the scope of the plan, and whether it may change them. */
  readonly selected: ReadonlyMap<ReleaseId, 'change' | 'use'>
}

/**
 * Throws `KK_USAGE` if `--values` or `--set` is for a release that must not change: it would silently have no
 * effect.
 */
export function expectFlagsTakeEffect({desired, mode, selected}: DecisionInputs): void {
  const withFlagValues = [...desired.values()].filter(({layers}) =>
    layers.some(({name}) => name === 'values' || name === 'set'),
  )
  const ignored = withFlagValues
    .filter(({release}) => selected.get(release) !== 'change')
    .map(({release}) => release)
  if (ignored.length === 0) return
  const names = ignored.map(releaseName).join(', ')
  const isOne = ignored.length === 1
  if (mode.kind !== 'named') {
    throw new KkError(
      'KK_USAGE',
      `--values or --set is for ${names}, which ${isOne ? 'is' : 'are'} not installed`,
      {hint: `omit it, or install ${isOne ? 'it' : 'them'} with: kk deploy`},
    )
  }
  const named = mode.releases.map(releaseName)
  throw new KkError(
    'KK_USAGE',
    `--values or --set is for ${names}, but only ${named.join(', ')} may be changed`,
    {
      hint: `name ${isOne ? 'it' : 'them'}, too (${[...named, ...ignored.map(releaseName)].join(' ')}), or omit the values of ${names}`,
    },
  )
}

interface ObservedCluster {
  readonly environment: string
  readonly graph: Graph
  readonly records: readonly ReleaseRecord[]
  /** Wanted releases that kk did not install. */
  readonly toAdopt?: ReadonlySet<ReleaseId>
}

/**
 * Returns the releases on the cluster that concern this environment and are left unchanged, by namespace and
 * name.
 */
export function untouchedReleases({
  environment,
  graph,
  records,
  toAdopt,
}: ObservedCluster): readonly UntouchedRelease[] {
  const wanted = new Set(graph.releases)
  const namespaces = new Set(graph.releases.map(releaseNamespace))
  return records
    .filter((record) => record.status !== 'uninstalled' || toAdopt?.has(record.release))
    .flatMap((record) => {
      const owner = readLabels(record.labels)?.owner
      if (toAdopt?.has(record.release)) return [adoptable(record)]
      if (wanted.has(record.release)) return []
      if (owner === environment) return [noLongerWanted(record, environment)]
      const near = owner === undefined && namespaces.has(releaseNamespace(record.release))
      return near ? [foreign(record)] : []
    })
    .sort((a, b) => (a.release < b.release ? -1 : 1))
}

function noLongerWanted({release}: ReleaseRecord, owner: string): UntouchedRelease {
  const note = `the file no longer names it; to remove it: kk remove ${releaseName(release)}`
  return {release, state: 'no-longer-wanted', owner, note}
}

function adoptable({release, revision, status}: ReleaseRecord): UntouchedRelease {
  const note = `wanted, but kk did not install it (revision ${revision}, ${status}); take it over with: kk adopt ${releaseName(release)}`
  return {release, state: 'to-adopt', note}
}

function foreign({release}: ReleaseRecord): UntouchedRelease {
  return {release, state: 'foreign', note: 'not installed by kk, left alone'}
}

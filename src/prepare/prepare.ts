import type {Allowance} from '../base/allowance.ts'
import {KkError} from '../base/errors.ts'
import {once} from '../base/once.ts'
import {suggest} from '../base/suggest.ts'
import type {Chart} from '../charts/chart.ts'
import {type ChartFinding, chartNames} from '../charts/find-chart.ts'
import type {Environment} from '../environment/environment.ts'
import {build} from '../graph/build.ts'
import type {Graph} from '../graph/graph.ts'
import {refine} from '../graph/inference/refine.ts'
import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {Layer} from '../overrides/layer.ts'
import type {StoreUse} from '../overrides/layers-of-place.ts'
import type {SecretNeed} from '../overrides/system/plugin.ts'
import {builtInPlugins, type Plugins} from '../overrides/system/plugins.ts'
import type {DesiredRelease} from '../plan/desired.ts'
import {layerDigests} from '../plan/digest.ts'
import {isNamed, type ReleaseId, releaseName} from '../release.ts'
import {withComponentReleases} from './gathering/component-releases.ts'
import type {GatherOptions} from './gathering/gather.ts'
import {releaseIdIn, sectionId} from './gathering/load-charts.ts'
import type {CachedRenders} from './inference/cached-renders.ts'
import {
  type InferenceFaults,
  type InferenceOptions,
  inferRequirements,
} from './inference/infer-requirements.ts'
import {waitingHookNotes} from './inference/notes.ts'
import type {OptionLists} from './settings/option-lists.ts'

/** A desired release of the environment, with its values. */
export interface PreparedRelease {
  readonly chart: Chart
  readonly layers: readonly Layer[]
  readonly desired: DesiredRelease
  readonly timeoutSeconds: number | undefined
  /** As in `ReleaseSettings`. */
  readonly unavailable?: Allowance | undefined
  /** As in `ReleaseSettings`. */
  readonly migrations?: readonly string[] | undefined
}

/** A secret that kk generates for a release, without its value. */
export interface GeneratedSecret extends Pick<SecretNeed, 'name' | 'path' | 'byHand'> {
  /** Marks of the values that the cluster stored earlier; see `SecretRecord`. */
  readonly former: readonly string[]
  /** True if the environment names a Secret of the cluster that has it. */
  readonly isReferenced: boolean
  /** True if it is not stored yet and is generated on first use. */
  readonly isNew: boolean
}

/** An environment with its charts, graph and layers, prepared without access to a cluster. */
export interface Prepared {
  readonly environment: Environment
  readonly graph: Graph
  /** Every release of the graph except those that only other environments have. */
  readonly releases: ReadonlyMap<ReleaseId, PreparedRelease>
  /** The plugins whose system overrides are among the values. */
  readonly plugins: Plugins
  /** The options of services; without them, only files below `conf` are checked. */
  readonly optionLists?: OptionLists | undefined
  /** The store of the deployer's overrides; undefined if they are not used. */
  readonly store?: StoreUse | undefined
  /** The generated secrets that each release gets; undefined before they are supplied. */
  readonly generated?: ReadonlyMap<ReleaseId, readonly GeneratedSecret[]> | undefined
  /** Notes on passwords and keys. */
  readonly secretNotes?: readonly string[]
  /** Notes on inferred requirements; undefined if nothing was inferred. */
  readonly inferenceNotes?: readonly string[]
  /** The faults of the inference; see `InferenceOptions`. */
  readonly faults?: InferenceFaults
  /** Releases whose charts are missing or cannot be used, if that is not an error. */
  readonly unusable?: ReadonlyMap<ReleaseId, KkError> | undefined
  /** The releases that were rendered to infer requirements, with their cached renders. */
  readonly cachedRenders?: CachedRenders
  /** The cluster that the charts were rendered for, if one asks for its version. */
  readonly identity?: ClusterIdentity | undefined
}

export interface PrepareOptions extends GatherOptions {
  /** The options of the inference; without them, nothing is inferred. */
  readonly inference?: InferenceOptions | undefined
  readonly optionLists?: OptionLists | undefined
}

/**
 * Finds the charts of an environment, builds its graph and layers its values. Rejects with the first error.
 */
export async function prepare(options: PrepareOptions): Promise<Prepared> {
  const environment = await withComponentReleases(options)
  const {finding, values, sets, places = {}} = options
  let identity: ClusterIdentity | undefined
  const inference = options.inference && {
    ...options.inference,
    ...(options.inference.identity && {
      identity: once(async () => (identity = await options.inference!.identity!())),
    }),
  }
  const {gathered, requirements, inferred, notes, faults, cachedRenders} = await inferRequirements({
    ...options,
    environment,
    inference,
  })
  const {charts, digests, layers} = gathered
  const suggestedNames = await suggestions(environment, charts, requirements, finding)
  const graph = build({
    wanted: [...environment.sections.keys()].map((name) => releaseIdIn(environment, name)),
    requirementsOf: (release) => requirements.get(release),
    suggest: (name) => suggest(name, suggestedNames),
    refine: (stated) => refine(stated, inferred),
  })
  // Without inference, the graph may lack releases that settings refer to.
  if (options.inference || !environment.infer) refuseIdleSettings(environment, graph)
  refuseUnknown(
    [...values, ...sets],
    [...charts.keys()].flatMap((id) => [id, sectionId(environment, id)]),
  )

  const stamp = places.store?.identity
  const releases = new Map<ReleaseId, PreparedRelease>()
  for (const [release, chart] of charts) {
    const edges = graph.requirements.get(release)
    // The chart was added for an object that it no longer provides.
    if (!edges) continue
    const settings = environment.releases.get(releaseName(release))
    const part = environment.parts?.get(releaseName(release))
    const own = layers.get(release)!
    const desired: DesiredRelease = {
      release,
      chart: {
        name: chart.name,
        version: chart.version,
        appVersion: chart.appVersion,
        digest: digests.get(chart.directory)!,
      },
      layers: layerDigests(own),
      requirements: edges.filter(({soft}) => !soft),
      owner: environment.name,
      ...(part && {part: {section: sectionId(environment, release), name: part.name}}),
      stated: environment.sections.has(releaseName(release)),
      protected: settings?.protected ?? chart.protected,
      ...(stamp && {store: {id: stamp.id, state: stamp.state}}),
    }
    const {timeoutSeconds, unavailable, migrations} = settings ?? {}
    releases.set(release, {chart, layers: own, desired, timeoutSeconds, unavailable, migrations})
  }
  return {
    environment,
    graph,
    releases,
    plugins: places.plugins ?? builtInPlugins(),
    optionLists: options.optionLists,
    store: places.store,
    inferenceNotes: [...notes, ...waitingHookNotes(graph)],
    faults,
    unusable: options.unusable,
    cachedRenders,
    identity,
  }
}

type PreparedEnvironment = Pick<Prepared, 'environment' | 'graph'>

/**
 * Returns the releases of the graph that names on the command line refer to: all parts of a section that is
 * split. Throws `KK_UNKNOWN_RELEASE` with a suggestion.
 */
export function namedReleases(prepared: PreparedEnvironment, names: readonly string[]): readonly ReleaseId[] {
  return [...new Set(names.flatMap((name) => allNamed(prepared, name)))]
}

/**
 * Returns the single release that a name on the command line refers to. Throws as `namedReleases`, and
 * `KK_USAGE`.
 */
export function namedRelease(prepared: PreparedEnvironment, name: string): ReleaseId {
  const [first, ...others] = allNamed(prepared, name)
  if (others.length === 0) return first!
  const names = [first!, ...others].map(releaseName).join(', ')
  throw new KkError('KK_USAGE', `${name} is several releases: ${names}`, {
    hint: `name one of them, e.g. ${releaseName(first!)}`,
  })
}

function allNamed(prepared: PreparedEnvironment, name: string): readonly ReleaseId[] {
  const parts = prepared.graph.releases.filter((release) => {
    const section = sectionId(prepared.environment, release)
    return section !== release && isNamed(section, name)
  })
  return parts.length > 0 ? parts : [oneNamed(prepared, name)]
}

function oneNamed({environment, graph}: PreparedEnvironment, name: string): ReleaseId {
  const id = name.includes('/') ? (name as ReleaseId) : releaseIdIn(environment, name)
  if (graph.requirements.has(id)) return id
  const sameName = graph.releases.filter((each) => releaseName(each) === name)
  if (sameName.length === 1) return sameName[0]!
  const names = graph.releases.map(releaseName)
  const close = suggest(name, names)
  throw new KkError('KK_UNKNOWN_RELEASE', `${environment.file} has no release ${name}`, {
    hint: close === undefined ? `it has: ${names.join(', ')}` : `did you mean ${close}?`,
  })
}

/**
 * Throws `KK_ENVIRONMENT` for settings of a release that is not in the graph: otherwise a typo in the name
 * would silently disable `protected: true`.
 */
function refuseIdleSettings({file, releases, position, parts}: Environment, graph: Graph): void {
  const names = [...new Set(graph.releases.map(releaseName))]
  for (const key of releases.keys()) {
    if (names.includes(key)) continue
    const name = parts?.get(key)?.section ?? key
    const at = position(['kk', 'releases', name])
    const where = at ? `${file}:${at.line}:${at.column}` : file
    const close = suggest(name, names)
    const hint =
      close === undefined ? `give it a section, "${name}: {}", or remove it` : `did you mean ${close}?`
    throw new KkError(
      'KK_ENVIRONMENT',
      `${where}: kk.releases.${name} matches no release: the file has no section ${name}, and nothing requires it`,
      {hint},
    )
  }
}

function refuseUnknown(flags: readonly {readonly release: string}[], releases: readonly ReleaseId[]): void {
  const names = [...new Set(releases)].flatMap((id) => [id, releaseName(id)])
  for (const {release} of flags) {
    if (names.includes(release)) continue
    const close = suggest(release, names)
    throw new KkError(
      'KK_UNKNOWN_RELEASE',
      `--values or --set names ${release}, which is not part of this environment`,
      {hint: close === undefined ? 'see the releases with kk graph' : `did you mean ${close}?`},
    )
  }
}

/** Returns names for suggestions. The sources of charts are only listed if a required release is missing. */
async function suggestions(
  environment: Environment,
  charts: ReadonlyMap<ReleaseId, Chart>,
  requirements: ReadonlyMap<ReleaseId, readonly {readonly release: ReleaseId}[]>,
  finding: ChartFinding,
): Promise<readonly string[]> {
  const missing = [...requirements.values()].flat().some(({release}) => !requirements.has(release))
  if (!missing) return []
  return [
    ...new Set([...[...charts.keys()].map(releaseName), ...(await chartNames(environment.charts, finding))]),
  ]
}

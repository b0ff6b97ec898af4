import {dirname, join} from 'node:path'
import type {Chart} from '../../charts/chart.ts'
import {digestCharts} from '../../charts/digest-chart.ts'
import {type ChartFinding, chartNames} from '../../charts/find-chart.ts'
import type {Environment} from '../../environment/environment.ts'
import {suggest} from '../../environment/suggest.ts'
import {KkError} from '../../errors.ts'
import {build} from '../../graph/build.ts'
import type {Graph} from '../../graph/graph.ts'
import {featureLayers} from '../../overrides/features.ts'
import type {Layer} from '../../overrides/layer.ts'
import {releaseLayers} from '../../overrides/layers.ts'
import type {SetFlag, ValuesFlag} from '../../overrides/release-flags.ts'
import {builtInPlugins, type Plugins} from '../../overrides/system/plugins.ts'
import {readValuesFile} from '../../overrides/values-file.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {layerDigests} from '../../plan/digest.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {LayerOf, PlaceLayers, StoreUse} from '../overrides/layers-of-place.ts'
import {idOf, loadCharts} from './load-charts.ts'

/** A release as the environment wants it, with its values. */
export interface PreparedRelease {
  readonly chart: Chart
  readonly layers: readonly Layer[]
  readonly desired: DesiredRelease
  readonly timeoutSeconds: number | undefined
}

/** An environment with its charts found, its graph built and its values layered; nothing has been asked of a cluster. */
export interface Prepared {
  readonly environment: Environment
  readonly graph: Graph
  /** Every release of the graph but those that only other environments have. */
  readonly releases: ReadonlyMap<ReleaseId, PreparedRelease>
  /** Whose system overrides are among the values. */
  readonly plugins: Plugins
  /** Undefined where the deployer's overrides were not asked for. */
  readonly store?: StoreUse | undefined
  /** The names of generated secrets that nobody keeps yet, by the release that would get them. */
  readonly newSecrets?: ReadonlyMap<ReleaseId, readonly string[]> | undefined
}

export interface PrepareOptions {
  readonly environment: Environment
  readonly finding: ChartFinding
  readonly values: readonly ValuesFlag[]
  readonly sets: readonly SetFlag[]
  /** Layers that depend on chart and namespace; none by default. */
  readonly places?: PlaceLayers
}

/** Rejects with what is wrong with the environment, its charts, its graph or its values; changes nothing. */
export async function prepare({
  environment,
  finding,
  values,
  sets,
  places = {},
}: PrepareOptions): Promise<Prepared> {
  const {charts, requirements} = await loadCharts(environment, finding)
  const known = await suggestions(environment, charts, requirements, finding)
  const graph = build({
    wanted: [...environment.sections.keys()].map((name) => idOf(environment, name)),
    requirementsOf: (release) => requirements.get(release),
    suggest: (name) => suggest(name, known),
  })
  refuseUnknown([...values, ...sets], charts)

  const digests = await digestCharts([...charts.values()])
  const stamp = places.store?.identity
  const system = await places.system?.([...charts.values()].map(({name}) => name))
  const releases = new Map<ReleaseId, PreparedRelease>()
  for (const [release, chart] of charts) {
    const layers = await layersOf({environment, release, chart, values, sets, system, user: places.user})
    const settings = environment.releases.get(releaseName(release))
    const desired: DesiredRelease = {
      release,
      chart: {
        name: chart.name,
        version: chart.version,
        appVersion: chart.appVersion,
        digest: digests.get(chart.directory)!,
      },
      layers: layerDigests(layers),
      requirements: graph.requirements.get(release)!,
      owner: environment.name,
      stated: environment.sections.has(releaseName(release)),
      protected: settings?.protected ?? chart.protected,
      ...(stamp && {store: {id: stamp.id, state: stamp.state}}),
      flags: {},
    }
    releases.set(release, {chart, layers, desired, timeoutSeconds: settings?.timeoutSeconds})
  }
  return {environment, graph, releases, plugins: places.plugins ?? builtInPlugins(), store: places.store}
}

/** The release of the graph that a name on the command line means. Throws `KK_UNKNOWN_RELEASE` with a suggestion. */
export function namedRelease(
  {environment, graph}: Pick<Prepared, 'environment' | 'graph'>,
  name: string,
): ReleaseId {
  const id = name.includes('/') ? (name as ReleaseId) : idOf(environment, name)
  if (graph.requirements.has(id)) return id
  const elsewhere = graph.releases.filter((each) => releaseName(each) === name)
  if (elsewhere.length === 1) return elsewhere[0]!
  const names = graph.releases.map(releaseName)
  const close = suggest(name, names)
  throw new KkError('KK_UNKNOWN_RELEASE', `${environment.file} has no release ${name}`, {
    hint: close === undefined ? `it has: ${names.join(', ')}` : `did you mean ${close}?`,
  })
}

interface LayersOptions extends Pick<PrepareOptions, 'environment' | 'values' | 'sets'> {
  readonly system: LayerOf | undefined
  readonly user: LayerOf | undefined
  readonly release: ReleaseId
  readonly chart: Chart
}

async function layersOf({
  environment,
  release,
  chart,
  values,
  sets,
  ...places
}: LayersOptions): Promise<readonly Layer[]> {
  const name = releaseName(release)
  const mine = (flag: {readonly release: string}) => flag.release === name || flag.release === release
  const directory = join(dirname(chart.directory), 'values_overrides')
  const namespace = releaseNamespace(release)
  const [system, user] = await Promise.all([
    places.system?.(chart.name, namespace),
    places.user?.(chart.name, namespace),
  ])
  return releaseLayers({
    environment,
    release: name,
    features: await featureLayers({directory, chart: chart.name, features: environment.features}),
    ...(system && {system}),
    ...(user && {user}),
    valuesFiles: await Promise.all(
      values.filter(mine).map((flag) => readValuesFile(flag.file, `--values ${flag.release}=${flag.file}`)),
    ),
    sets: sets.filter(mine).map(({expression}) => expression),
  })
}

function refuseUnknown(
  flags: readonly {readonly release: string}[],
  charts: ReadonlyMap<ReleaseId, Chart>,
): void {
  const names = [...charts.keys()].flatMap((id) => [id, releaseName(id)])
  for (const {release} of flags) {
    if (names.includes(release)) continue
    const close = suggest(release, names)
    throw new KkError(
      'KK_UNKNOWN_RELEASE',
      `--values or --set names ${release}, which is not part of this environment`,
      {
        hint: close === undefined ? 'see the releases with kk graph' : `did you mean ${close}?`,
      },
    )
  }
}

/** Names of charts are only looked up when something is missing. */
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

import type {KkError} from '../../base/errors.ts'
import type {Chart} from '../../charts/chart.ts'
import {digestCharts} from '../../charts/digest-chart.ts'
import type {ChartFinding} from '../../charts/find-chart.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Layer} from '../../overrides/layer.ts'
import {releaseLayers} from '../../overrides/layers.ts'
import type {LayerOf, PlaceLayers} from '../../overrides/layers-of-place.ts'
import type {SetFlag, ValuesFlag} from '../../overrides/release-flags.ts'
import {readValuesFile} from '../../overrides/values-file.ts'
import {isNamed, type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {type LoadedCharts, loadCharts, sectionId} from './load-charts.ts'

/** Returns the layers of releases with their generated secrets added. */
export type SupplyLayers = (
  releases: ReadonlyMap<ReleaseId, {readonly chart: Chart; readonly layers: readonly Layer[]}>,
) => Promise<ReadonlyMap<ReleaseId, readonly Layer[]>>

export interface GatherOptions {
  readonly environment: Environment
  readonly finding: ChartFinding
  readonly values: readonly ValuesFlag[]
  readonly sets: readonly SetFlag[]
  /** The layers that depend on chart and namespace; none by default. */
  readonly places?: PlaceLayers
  /** Adds the secrets that the releases need to their layers. */
  readonly supply?: SupplyLayers
  /**
   * Receives the releases skipped because their charts cannot be used; without it the first error is thrown.
   */
  readonly unusable?: Map<ReleaseId, KkError> | undefined
}

/** The charts of an environment with the layers of their values. */
export interface Gathered extends LoadedCharts {
  /** The digest of each chart, by its directory. */
  readonly digests: ReadonlyMap<string, string>
  readonly layers: ReadonlyMap<ReleaseId, readonly Layer[]>
}

interface GatherSources {
  /** Returns the layers of the feature files of a chart. */
  readonly features: (chart: Chart) => Promise<readonly Layer[]>
}

/**
 * Finds the charts and reads the layers of all releases: those with a section, their stated requirements, and
 * `added`.
 */
export async function gather(
  {
    environment,
    finding,
    values,
    sets,
    places = {},
    supply,
    unusable,
    features,
  }: GatherOptions & GatherSources,
  added: readonly ReleaseId[] = [],
): Promise<Gathered> {
  const loaded = await loadCharts({environment, finding, unusable}, added)
  const charts = [...loaded.charts.values()]
  const digests = await digestCharts(charts)
  // Plugins work on sections: the parts of a section are not separate servers.
  const system = await places.system?.(
    new Map([...loaded.charts].map(([release, chart]) => [sectionId(environment, release), chart])),
    environment.global,
  )
  const layers = new Map<ReleaseId, readonly Layer[]>()
  for (const [release, chart] of loaded.charts) {
    const {user} = places
    const own = await features(chart)
    layers.set(
      release,
      await layersOf({environment, release, chart, values, sets, system, user, features: own}),
    )
  }
  if (!supply) return {...loaded, digests, layers}
  const releases = new Map([...loaded.charts].map(([id, chart]) => [id, {chart, layers: layers.get(id)!}]))
  return {...loaded, digests, layers: await supply(releases)}
}

interface LayersOptions {
  readonly environment: Environment
  readonly values: readonly ValuesFlag[]
  readonly sets: readonly SetFlag[]
  readonly system: ((release: ReleaseId) => Promise<Layer | undefined>) | undefined
  readonly user: LayerOf | undefined
  readonly features: readonly Layer[]
  readonly release: ReleaseId
  readonly chart: Chart
}

/** Returns the layers of a release's values. Rejects with the error of a layer that cannot be read. */
async function layersOf({
  environment,
  release,
  chart,
  values,
  sets,
  features,
  ...places
}: LayersOptions): Promise<readonly Layer[]> {
  const name = releaseName(release)
  const part = environment.parts?.get(name)
  const section = sectionId(environment, release)
  const applies = (flag: {readonly release: string}) =>
    isNamed(release, flag.release) || isNamed(section, flag.release)
  const namespace = releaseNamespace(release)
  const [system, user] = await Promise.all([places.system?.(section), places.user?.(chart.name, namespace)])
  return releaseLayers({
    environment,
    release: name,
    part,
    features,
    ...(system && {system}),
    ...(user && {user}),
    valuesFiles: await Promise.all(
      values
        .filter(applies)
        .map((flag) => readValuesFile(flag.file, `--values ${flag.release}=${flag.file}`)),
    ),
    sets: sets.filter(applies),
  })
}

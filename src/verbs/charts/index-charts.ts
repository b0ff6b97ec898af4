import {KkError} from '../../base/errors.ts'
import {type IndexedChart, writeIndex} from '../../charts/chart-index.ts'
import {digestCharts} from '../../charts/digest-chart.ts'
import {findInDirectory, namesInDirectory} from '../../charts/directory.ts'
import {factsOfReleases, type Rendering} from '../../prepare/inference/facts-of-releases.ts'
import {releaseId} from '../../release.ts'

/** The namespace in which charts are rendered, each as a release of its own name; no chart refers to it. */
const INDEX_NAMESPACE = 'kk-index'

interface IndexOptions {
  /** A directory of charts, as `kk.charts` names it. */
  readonly directory: string
  readonly rendering: Rendering
}

/** The result of indexing a directory of charts. */
export interface ChartsIndexed {
  readonly directory: string
  readonly charts: readonly {
    readonly name: string
    readonly version: string
    /** The number of objects that other charts may require. */
    readonly provides: number
    /** The number of custom kinds that it defines. */
    readonly kinds: number
  }[]
  /** Charts that are skipped, with helm's message on each. */
  readonly failed: readonly {readonly name: string; readonly message: string}[]
}

/**
 * Renders each chart of a directory with its defaults and stores what it provides. Throws
 * `KK_CHART_NOT_FOUND`.
 */
export async function indexCharts({directory, rendering}: IndexOptions): Promise<ChartsIndexed> {
  const names = namesInDirectory(directory)
  const foundCharts = await Promise.all(names.map((name) => findInDirectory(directory, {name}, rendering)))
  const charts = foundCharts.filter((chart) => chart !== undefined).filter(({type}) => type === 'application')
  if (charts.length === 0)
    throw new KkError('KK_CHART_NOT_FOUND', `${directory} holds no charts`, {
      hint: 'name a directory whose subdirectories, or .tgz files, are charts',
    })
  const digests = await digestCharts(charts)
  const subjects = charts.map((chart) => ({
    release: releaseId(INDEX_NAMESPACE, chart.name),
    chart,
    chartDigest: digests.get(chart.directory)!,
    layers: [],
  }))
  const facts = await factsOfReleases(subjects, rendering)
  const indexed: IndexedChart[] = []
  const failed: {readonly name: string; readonly message: string}[] = []
  for (const {release, chart} of subjects) {
    const {name, version, sharedInfrastructure: shared} = chart
    const outcome = facts.get(release)!
    if ('provided' in outcome) indexed.push({name, version, shared, facts: outcome})
    else failed.push({name, message: outcome.message})
  }
  await writeIndex(directory, rendering.cache, indexed)
  return {directory, charts: indexed.map(counted), failed}
}

function counted({name, version, facts}: IndexedChart): ChartsIndexed['charts'][number] {
  const {objects, kinds} = facts.provided
  return {name, version, provides: objects.length, kinds: kinds.length}
}

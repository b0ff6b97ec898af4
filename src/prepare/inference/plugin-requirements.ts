import {asKkError} from '../../base/errors.ts'
import {type ChartFinding, findChart} from '../../charts/find-chart.ts'
import type {Environment} from '../../environment/environment.ts'
import type {InferredRequirement} from '../../graph/inference/infer.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Gathered} from '../gathering/gather.ts'
import {releaseIdIn} from '../gathering/load-charts.ts'

interface PluginRequirementsOptions {
  readonly environment: Environment
  readonly gathered: Gathered
  readonly inferring: ReadonlySet<ReleaseId>
  readonly plugins: Plugins
  readonly finding: ChartFinding
  /** Returns the releases that a release does not require according to the environment (`without`). */
  readonly without: (release: ReleaseId) => ReadonlySet<ReleaseId>
}

interface StatedByPlugins {
  readonly requirements: readonly InferredRequirement[]
  /** Releases that the environment does not have yet, and whose charts can be found. */
  readonly added: readonly ReleaseId[]
}

/**
 * Returns the requirements that kk's plugins state because no manifest shows them: the chart uses keystone's
 * catalogue, or a daemon on the same node. Like inferred requirements, they add a release only if a chart of
 * that name can be found.
 */
export async function pluginRequirements(options: PluginRequirementsOptions): Promise<StatedByPlugins> {
  const {gathered, inferring, plugins, without} = options
  const requirements: InferredRequirement[] = []
  const added = new Set<ReleaseId>()
  for (const [from, chart] of gathered.charts) {
    if (!inferring.has(from)) continue
    for (const required of (await plugins.find(chart))?.requires ?? []) {
      const to = await providerOf(from, required, options)
      if (to === undefined || without(from).has(to)) continue
      const text = `${chart.name} requires ${required}, which nothing that it renders shows: kk's plugin of ${chart.name} states it`
      const evidence = {source: 'inferred', file: `${chart.name}/Chart.yaml`, text} as const
      requirements.push({from, to, kind: 'ready', evidence})
      if (!gathered.charts.has(to)) added.add(to)
    }
  }
  return {requirements, added: [...added].sort()}
}

/**
 * Returns the release of the required chart, in the same namespace if there are several; else the release to
 * add.
 */
async function providerOf(
  from: ReleaseId,
  required: string,
  {environment, gathered, finding}: PluginRequirementsOptions,
): Promise<ReleaseId | undefined> {
  // The environment already names the required release, possibly one of another environment.
  const requirements = gathered.requirements.get(from) ?? []
  if (requirements.some(({release}) => releaseName(release) === required)) return undefined
  const present = [...gathered.charts].flatMap(([release, {name}]) => (name === required ? [release] : []))
  const near = present.filter((release) => releaseNamespace(release) === releaseNamespace(from))
  if (present.length > 0) return near.length === 1 ? near[0] : present.length === 1 ? present[0] : undefined
  const {chart: name = required, version} = environment.releases.get(required) ?? {}
  try {
    await findChart({name, ...(version !== undefined && {version})}, environment.charts, finding)
    return releaseIdIn(environment, required)
  } catch (error) {
    if (asKkError(error).code === 'KK_CHART_NOT_FOUND') return undefined
    throw error
  }
}

import {suggest} from '../../environment/suggest.ts'
import {KkError} from '../../errors.ts'
import type {Facts} from '../facts/facts.ts'
import type {OverriddenChart} from '../service.ts'
import type {Plugins} from './plugins.ts'

/** Which chart a release of an environment is of, and where it is. */
export interface PlacedChart {
  readonly chart: string
  readonly namespace: string
}

interface ActiveSources {
  /** The releases of the environment; undefined without one. */
  readonly releases?: Iterable<PlacedChart> | undefined
  readonly facts: Pick<Facts, 'charts'>
  readonly plugins: Plugins
}

/**
 * The charts that are active, by name, with their namespaces: those of the environment's releases, else those of
 * `charts` in the facts; there, a chart without namespaces is where its plugin puts it. Rejects with
 * `KK_UNKNOWN_CHART` for a chart of the facts that no plugin is for.
 */
export async function activeCharts({
  releases,
  facts,
  plugins,
}: ActiveSources): Promise<readonly OverriddenChart[]> {
  const namespaces = releases ? placed(releases) : await stated(facts.charts ?? {}, plugins)
  return [...namespaces]
    .map(([name, each]) => ({name, namespaces: [...each].sort()}))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function placed(releases: Iterable<PlacedChart>): ReadonlyMap<string, ReadonlySet<string>> {
  const namespaces = new Map<string, Set<string>>()
  for (const {chart, namespace} of releases) {
    namespaces.set(chart, (namespaces.get(chart) ?? new Set()).add(namespace))
  }
  return namespaces
}

async function stated(
  charts: NonNullable<Facts['charts']>,
  plugins: Plugins,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const namespaces = new Map<string, ReadonlySet<string>>()
  for (const [chart, given] of Object.entries(charts)) {
    const plugin = await plugins.find(chart)
    if (!plugin) throw unknownChart(`no plugin is for the chart ${chart}`, chart, plugins.charts)
    namespaces.set(chart, new Set(given.length > 0 ? given : plugin.namespaces))
  }
  return namespaces
}

/** Throws `KK_UNKNOWN_CHART` or `KK_UNKNOWN_NAMESPACE`, with what may have been meant, unless the chart is active there. */
export function expectActive(active: readonly OverriddenChart[], chart: string, namespace: string): void {
  const found = active.find(({name}) => name === chart)
  if (!found) {
    const names = active.map(({name}) => name)
    throw unknownChart(`no chart ${chart} is active`, chart, names)
  }
  if (found.namespaces.includes(namespace)) return
  const close = suggest(namespace, found.namespaces)
  throw new KkError(
    'KK_UNKNOWN_NAMESPACE',
    `the chart ${chart} is not active in the namespace ${namespace}`,
    {
      hint:
        close === undefined ? `it is active in: ${found.namespaces.join(', ')}` : `did you mean ${close}?`,
    },
  )
}

function unknownChart(message: string, chart: string, names: readonly string[]): KkError {
  const close = suggest(chart, names)
  if (close !== undefined) return new KkError('KK_UNKNOWN_CHART', message, {hint: `did you mean ${close}?`})
  const hint =
    names.length > 0
      ? `there are: ${names.join(', ')}`
      : 'name an environment with -e, or charts: in a facts file with --facts'
  return new KkError('KK_UNKNOWN_CHART', message, {hint})
}

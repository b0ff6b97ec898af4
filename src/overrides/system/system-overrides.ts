import type {Values} from '../../base/values.ts'
import type {FactName, Facts} from '../facts/facts.ts'
import type {OverriddenChart} from '../service.ts'
import {expectActive} from './active.ts'
import type {Plugin} from './plugin.ts'
import type {FoundChart, Plugins} from './plugins.ts'

export interface SystemOverridesOptions {
  /** The active charts, from `activeCharts`. */
  readonly active: readonly OverriddenChart[]
  readonly chart: string
  readonly namespace: string
  readonly facts: Facts
  readonly plugins: Plugins
}

/**
 * Returns the system overrides of one chart in one namespace from the facts; `{}` for a chart without a
 * plugin. Rejects with `KK_UNKNOWN_CHART` or `KK_UNKNOWN_NAMESPACE` if the chart is not active in the
 * namespace, and with `KK_PLUGIN`.
 */
export async function systemOverrides(options: SystemOverridesOptions): Promise<Values> {
  const {active, chart, namespace, facts, plugins} = options
  expectActive(active, chart, namespace)
  const plugin = await plugins.find(chart)
  return plugin ? plugin.overrides(factsFor(plugin, facts), namespace) : {}
}

/** Returns the facts that a plugin declares to read. */
export function factsFor({reads}: Pick<Plugin, 'reads'>, facts: Facts): Facts {
  const present = reads.filter((name) => facts[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, facts[name]])) as Facts
}

/**
 * Returns the names of the facts that decide the overrides of these charts, sorted: no others need to be
 * read.
 */
export async function factsRead(
  charts: Iterable<string | FoundChart>,
  plugins: Plugins,
): Promise<readonly FactName[]> {
  const read = new Set<FactName>()
  for (const chart of charts) for (const name of (await plugins.find(chart))?.reads ?? []) read.add(name)
  return [...read].sort()
}

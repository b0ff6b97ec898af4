import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {Facts} from '../facts/facts.ts'
import type {OverriddenChart} from '../service.ts'
import type {Plugin} from './plugin.ts'
import type {Plugins} from './plugins.ts'

/** The chart of a release of an environment, and its namespace. */
interface PlacedChart {
  readonly chart: string
  readonly namespace: string
}

interface ActiveSources {
  /** The releases of the environment; undefined without one. */
  readonly releases?: Iterable<PlacedChart> | undefined
  readonly facts: Pick<Facts, 'charts'>
  /** The name of the facts file, for messages. */
  readonly file?: string | undefined
  readonly plugins: Plugins
}

/**
 * Returns the active charts, by name, with their namespaces: those of the environment's releases, else those
 * of `charts` in the facts, else all that have a plugin. Without an environment, a chart without namespaces
 * is in all that its plugin declares. Rejects with `KK_UNKNOWN_CHART` or `KK_UNKNOWN_NAMESPACE` if the facts
 * name one for which there is no plugin.
 */
export async function activeCharts({
  releases,
  facts,
  file = 'the facts',
  plugins,
}: ActiveSources): Promise<readonly OverriddenChart[]> {
  const namespaces = releases
    ? placed(releases)
    : await readCharts(facts.charts ?? anywhere(plugins), file, plugins)
  return [...namespaces]
    .map(([name, each]) => ({name, namespaces: [...each].sort()}))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function anywhere({charts}: Plugins): NonNullable<Facts['charts']> {
  return Object.fromEntries(charts.map((chart) => [chart, []]))
}

function placed(releases: Iterable<PlacedChart>): ReadonlyMap<string, ReadonlySet<string>> {
  const namespaces = new Map<string, Set<string>>()
  for (const {chart, namespace} of releases) {
    namespaces.set(chart, (namespaces.get(chart) ?? new Set()).add(namespace))
  }
  return namespaces
}

async function readCharts(
  charts: NonNullable<Facts['charts']>,
  file: string,
  plugins: Plugins,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const namespaces = new Map<string, ReadonlySet<string>>()
  for (const [chart, names] of Object.entries(charts)) {
    const prefix = `${file}: charts.${chart}: `
    const plugin = await pluginFor(plugins, chart, prefix)
    for (const namespace of names) expectDeclared(plugin, namespace, prefix)
    namespaces.set(chart, new Set(names.length > 0 ? names : plugin.namespaces))
  }
  return namespaces
}

/**
 * Throws `KK_UNKNOWN_CHART` or `KK_UNKNOWN_NAMESPACE`, with a suggestion, unless the chart is active in the
 * namespace.
 */
export function expectActive(active: readonly OverriddenChart[], chart: string, namespace: string): void {
  const entry = active.find(({name}) => name === chart)
  if (!entry) {
    const names = active.map(({name}) => name)
    throw unknownChart(`no chart ${chart} is active`, chart, names)
  }
  const {namespaces: names} = entry
  if (names.includes(namespace)) return
  throw unknownNamespace(`the chart ${chart} is not active in the namespace ${namespace}`, {
    namespace,
    names,
    hint: `it is active in: ${names.join(', ')}`,
  })
}

/** Returns `KK_UNKNOWN_CHART` with a suggestion, or else with all names. */
export function unknownChart(message: string, chart: string, names: readonly string[]): KkError {
  const close = suggest(chart, names)
  if (close !== undefined) return new KkError('KK_UNKNOWN_CHART', message, {hint: `did you mean ${close}?`})
  const hint =
    names.length > 0
      ? `there are: ${names.join(', ')}`
      : 'name an environment with -e, or charts: in a facts file with --facts'
  return new KkError('KK_UNKNOWN_CHART', message, {hint})
}

/** Returns `KK_UNKNOWN_NAMESPACE` with a suggestion, or else with the hint. */
function unknownNamespace(
  message: string,
  {namespace, names, hint}: {namespace: string; names: readonly string[]; hint: string},
): KkError {
  const close = suggest(namespace, names)
  return new KkError('KK_UNKNOWN_NAMESPACE', message, {
    hint: close === undefined ? hint : `did you mean ${close}?`,
  })
}

/**
 * Returns the plugin of a chart. Rejects with `KK_UNKNOWN_CHART`; `prefix` begins its message: `facts.yaml:
 * `.
 */
export async function pluginFor(plugins: Plugins, chart: string, prefix = ''): Promise<Plugin> {
  const plugin = await plugins.find(chart)
  if (plugin) return plugin
  throw unknownChart(`${prefix}no plugin exists for the chart ${chart}`, chart, plugins.charts)
}

/**
 * Throws `KK_UNKNOWN_NAMESPACE` for a namespace that the plugin does not declare; `prefix` as in `pluginFor`.
 */
export function expectDeclared(
  {chart, namespaces}: Pick<Plugin, 'chart' | 'namespaces'>,
  namespace: string,
  prefix = '',
): void {
  if (namespaces.includes(namespace)) return
  throw unknownNamespace(`${prefix}the plugin of the chart ${chart} is not for the namespace ${namespace}`, {
    namespace,
    names: namespaces,
    hint: `it is for: ${namespaces.join(', ')}; only an environment (-e) can put the chart in another one`,
  })
}

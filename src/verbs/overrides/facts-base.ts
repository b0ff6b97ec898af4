import type {Facts} from '../../overrides/facts/facts.ts'
import type {Layer} from '../../overrides/layer.ts'
import {activeCharts} from '../../overrides/system/active.ts'
import {secretPaths} from '../../overrides/system/plugin.ts'
import type {FoundChart, Plugins} from '../../overrides/system/plugins.ts'
import {systemOverrides} from '../../overrides/system/system-overrides.ts'
import {systemSource} from './layers-of-place.ts'
import type {OverrideBase} from './override-world.ts'

export interface FactsBaseOptions {
  readonly facts: Facts
  /** The file that states them, for messages. */
  readonly file?: string | undefined
  readonly plugins: Plugins
}

/**
 * Without an environment: the facts name the active charts, or else plugins do, and only system overrides lie below the deployer's. Neither
 * facts nor plugins change, so what they make is made once: a service is asked for it with every request.
 */
export function factsBase({facts, file, plugins}: FactsBaseOptions): OverrideBase {
  let charts: ReturnType<OverrideBase['active']> | undefined
  const active = () => {
    charts ??= activeCharts({facts, file, plugins})
    return charts
  }
  const made = new Map<string, readonly Layer[]>()
  const layers: OverrideBase['layers'] = async (chart, namespace) => {
    const place = `${namespace}/${chart}`
    const known = made.get(place)
    if (known) return known
    const values = await systemOverrides({active: await active(), chart, namespace, facts, plugins})
    const plugin = await plugins.find(chart)
    const layers = [{name: 'system', source: systemSource(chart, namespace, plugin?.file), values}] as const
    made.set(place, layers)
    return layers
  }
  const isAssumed = facts.charts === undefined
  return {active, isAssumed, layers, releases: () => undefined, secretPaths: pathsOf(plugins)}
}

/**
 * The places that a chart's plugin calls secret; none without a plugin. Of a name alone those of the charts that were found
 * under it, if any. Each is asked once.
 */
export function pathsOf(plugins: Plugins, found: Iterable<FoundChart> = []): OverrideBase['secretPaths'] {
  const charts = [...new Map([...found].map((chart) => [chart.directory, chart])).values()]
  const known = new Map<string, ReturnType<OverrideBase['secretPaths']>>()
  const places = async (asked: readonly (string | FoundChart)[]) => {
    const made = await Promise.all(asked.map((each) => plugins.find(each)))
    return made.flatMap((plugin) => (plugin ? secretPaths(plugin) : []))
  }
  return (chart) => {
    const key = typeof chart === 'string' ? chart : chart.directory
    const named = charts.filter(({name}) => name === chart)
    const answer = known.get(key) ?? places(named.length > 0 ? named : [chart])
    known.set(key, answer)
    return answer
  }
}

import type {Facts} from '../../overrides/facts/facts.ts'
import type {Layer} from '../../overrides/layer.ts'
import {activeCharts} from '../../overrides/system/active.ts'
import {secretPaths} from '../../overrides/system/plugin.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
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
 * Without an environment: the facts name the active charts, and only system overrides lie below the deployer's. Neither
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
  return {active, layers, releases: () => undefined, secretPaths: pathsOf(plugins)}
}

/** The places that a chart's plugin calls secret; none without a plugin. Each plugin is asked once. */
export function pathsOf(plugins: Plugins): OverrideBase['secretPaths'] {
  const known = new Map<string, ReturnType<OverrideBase['secretPaths']>>()
  return (chart) => {
    const found =
      known.get(chart) ?? plugins.find(chart).then((plugin) => (plugin ? secretPaths(plugin) : []))
    known.set(chart, found)
    return found
  }
}

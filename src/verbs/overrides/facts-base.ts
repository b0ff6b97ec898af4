import type {Facts} from '../../overrides/facts/facts.ts'
import {activeCharts} from '../../overrides/system/active.ts'
import {secretPaths} from '../../overrides/system/plugin.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import {systemOverrides} from '../../overrides/system/system-overrides.ts'
import {systemSource} from './layers-of-place.ts'
import type {OverrideBase} from './override-world.ts'

export interface FactsBaseOptions {
  readonly facts: Facts
  readonly plugins: Plugins
}

/** Without an environment: the facts name the active charts, and only system overrides lie below the deployer's. */
export function factsBase({facts, plugins}: FactsBaseOptions): OverrideBase {
  const active = () => activeCharts({facts, plugins})
  const layers: OverrideBase['layers'] = async (chart, namespace) => {
    const values = await systemOverrides({active: await active(), chart, namespace, facts, plugins})
    const plugin = await plugins.find(chart)
    return [{name: 'system', source: systemSource(chart, namespace, plugin?.file), values}]
  }
  return {active, layers, releases: () => undefined, secretPaths: (chart) => pathsOf(plugins, chart)}
}

/** The places that a chart's plugin calls secret; none without a plugin. */
export async function pathsOf(plugins: Plugins, chart: string): ReturnType<OverrideBase['secretPaths']> {
  const plugin = await plugins.find(chart)
  return plugin ? secretPaths(plugin) : []
}

import type {Plugin} from './plugin.ts'
import type {Plugins} from './plugins.ts'
import {unknownChart, unknownNamespace} from './unknown.ts'

/**
 * Returns the plugin of a chart. Rejects with `KK_UNKNOWN_CHART`; `where` begins its message with the place that names
 * the chart, e.g. `facts.yaml: `.
 */
export async function pluginFor(plugins: Plugins, chart: string, where = ''): Promise<Plugin> {
  const plugin = await plugins.find(chart)
  if (plugin) return plugin
  throw unknownChart(`${where}no plugin is for the chart ${chart}`, chart, plugins.charts)
}

/** Throws `KK_UNKNOWN_NAMESPACE` for a namespace that the plugin does not declare; `where` as in `pluginFor`. */
export function expectDeclared(
  {chart, namespaces}: Pick<Plugin, 'chart' | 'namespaces'>,
  namespace: string,
  where = '',
): void {
  if (namespaces.includes(namespace)) return
  throw unknownNamespace(`${where}the plugin of the chart ${chart} is not for the namespace ${namespace}`, {
    namespace,
    names: namespaces,
    hint: `it is for: ${namespaces.join(', ')}; only an environment (-e) can put the chart elsewhere`,
  })
}

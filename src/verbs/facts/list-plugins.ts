import type {FactName} from '../../overrides/facts/facts.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'

/** A plugin, as it is listed for people and scripts. */
export interface ListedPlugin {
  readonly chart: string
  readonly namespaces: readonly string[]
  readonly reads: readonly FactName[]
  /** The names of the secrets that it declares. */
  readonly secrets: readonly string[]
  /** The file of a plugin from outside. */
  readonly file?: string
  /** Whether it is a plugin from outside that replaces kk's own. */
  readonly replaces: boolean
}

/** Returns all plugins, by chart. */
export async function listPlugins(plugins: Plugins): Promise<readonly ListedPlugin[]> {
  const found = await Promise.all(plugins.charts.map((chart) => plugins.find(chart)))
  return found
    .filter((plugin) => plugin !== undefined)
    .map((plugin) => ({
      chart: plugin.chart,
      namespaces: plugin.namespaces,
      reads: plugin.reads,
      secrets: plugin.secrets.map(({name}) => name),
      ...(plugin.file !== undefined && {file: plugin.file}),
      replaces: plugins.replacing.includes(plugin),
    }))
}

import type {FactName} from '../../overrides/facts/facts.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'

/** A listed plugin. */
export interface ListedPlugin {
  readonly chart: string
  readonly namespaces: readonly string[]
  readonly reads: readonly FactName[]
  /** The names of the secrets that it declares. */
  readonly secrets: readonly string[]
  /** The file of an external plugin. */
  readonly file?: string
  /** Whether it is an external plugin that replaces one of kk's. */
  readonly replaces: boolean
}

/** Returns all plugins, by chart. */
export async function listPlugins(plugins: Plugins): Promise<readonly ListedPlugin[]> {
  const foundPlugins = await Promise.all(plugins.charts.map((chart) => plugins.find(chart)))
  return foundPlugins
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

import type {Environment} from '../../environment/environment.ts'
import {namespacesOf} from '../../environment/namespaces-of.ts'
import type {FactName, Facts} from '../../overrides/facts/facts.ts'
import {maskSecrets} from '../../overrides/secrets/secret-values.ts'
import {expectDeclared, pluginFor} from '../../overrides/system/declared.ts'
import {secretPaths} from '../../overrides/system/plugin.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import {factsFor} from '../../overrides/system/system-overrides.ts'
import type {Values} from '../../release.ts'

interface PluginRun {
  readonly plugins: Plugins
  readonly chart: string
  /** By default the first one that the plugin declares. */
  readonly namespace?: string | undefined
  /** Its namespaces are allowed beside those that the plugin declares. */
  readonly environment?: Pick<Environment, 'namespace' | 'releases'> | undefined
  /** The facts of these names; asked for only when chart and namespace are known. */
  readonly facts: (names: readonly FactName[]) => Promise<Facts>
  readonly showSecrets?: boolean
}

/** What the plugin of a chart makes of the facts, with secrets masked unless they are asked for. Rejects with `KK_UNKNOWN_CHART`, `KK_UNKNOWN_NAMESPACE`, `KK_PLUGIN`. */
export async function runPlugin({
  plugins,
  chart,
  environment,
  facts,
  showSecrets = false,
  ...given
}: PluginRun): Promise<{readonly namespace: string; readonly overrides: Values}> {
  const plugin = await pluginFor(plugins, chart)
  const {namespace = plugin.namespaces[0]!} = given
  const namespaces = [...plugin.namespaces, ...(environment ? namespacesOf(environment, chart) : [])]
  expectDeclared({chart, namespaces: [...new Set(namespaces)]}, namespace)
  const overrides = await plugin.overrides(factsFor(plugin, await facts(plugin.reads)), namespace)
  return {namespace, overrides: showSecrets ? overrides : maskSecrets(overrides, secretPaths(plugin))}
}

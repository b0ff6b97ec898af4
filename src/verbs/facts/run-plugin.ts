import type {Values} from '../../base/values.ts'
import type {Dialect} from '../../charts/chart.ts'
import type {Environment} from '../../environment/environment.ts'
import type {FactName, Facts} from '../../overrides/facts/facts.ts'
import {expectDeclared, pluginFor} from '../../overrides/system/active.ts'
import {secretPaths} from '../../overrides/system/plugin.ts'
import type {FoundChart, Plugins} from '../../overrides/system/plugins.ts'
import {unreadPaths} from '../../overrides/system/reads.ts'
import {factsFor} from '../../overrides/system/system-overrides.ts'
import {redactValues} from '../../redact/values.ts'

interface PluginRun {
  readonly plugins: Plugins
  readonly chart: string
  /** The chart itself, if there is one; otherwise the plugin is found by the name. */
  readonly foundChart?: FoundChart | undefined
  /** Defaults to the first namespace that the plugin declares. */
  readonly namespace?: string | undefined
  /** The environment whose namespaces are allowed in addition to those that the plugin declares. */
  readonly environment?: Pick<Environment, 'namespace' | 'releases'> | undefined
  /** Returns the facts of these names; called only when chart and namespace are known. */
  readonly facts: (names: readonly FactName[]) => Promise<Facts>
  readonly showSecrets?: boolean
}

export interface PluginOutcome {
  readonly namespace: string
  readonly overrides: Values
  /** The chart's dialect; omitted without a chart, or if its dialect is unknown. */
  readonly dialect?: Dialect
  /** The overrides that the chart does not read, as paths joined by dots. */
  readonly unread: readonly string[]
}

/**
 * Returns the overrides that the plugin of a chart computes from the facts, with secrets masked unless
 * `showSecrets`. Rejects with `KK_UNKNOWN_CHART`, `KK_UNKNOWN_NAMESPACE`, `KK_PLUGIN`.
 */
export async function runPlugin({
  plugins,
  chart,
  foundChart,
  environment,
  facts,
  showSecrets = false,
  ...target
}: PluginRun): Promise<PluginOutcome> {
  const plugin = (foundChart && (await plugins.find(foundChart))) ?? (await pluginFor(plugins, chart))
  const {namespace = plugin.namespaces[0]!} = target
  const namespaces = [...plugin.namespaces, ...(environment ? releaseNamespaces(environment, chart) : [])]
  expectDeclared({chart, namespaces: [...new Set(namespaces)]}, namespace)
  const spoken = foundChart && plugins.dialectChart(foundChart)
  if (spoken && spoken.dialect === undefined && plugin.file === undefined)
    return {namespace, overrides: {}, unread: []}
  const overrides = await plugin.overrides(factsFor(plugin, await facts(plugin.reads)), namespace)
  const isJudged = spoken?.dialect !== undefined
  return {
    namespace,
    overrides: showSecrets ? overrides : redactValues(overrides, secretPaths(plugin)),
    ...(spoken?.dialect && {dialect: spoken.dialect}),
    unread: isJudged ? unreadPaths(spoken, overrides).map((path) => path.join('.')) : [],
  }
}

/** Returns the namespaces of a chart's releases: the environment's default, and those of the releases. */
function releaseNamespaces(
  {namespace, releases}: Pick<Environment, 'namespace' | 'releases'>,
  chart: string,
): readonly string[] {
  const sections = [...releases].filter(([name, settings]) => (settings.chart ?? name) === chart)
  return [namespace, ...sections.flatMap(([, settings]) => settings.namespace ?? [])]
}

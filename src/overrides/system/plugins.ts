import {memoize} from '../../base/once.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {Chart} from '../../charts/chart.ts'
import {type DialectChart, definesChart, readDialectChart} from '../../charts/dialect.ts'
import type {FactName, Facts} from '../facts/facts.ts'
import {accountSecrets} from './accounts.ts'
import {assumedChart} from './assumed.ts'
import {BASIC, basicPlugin} from './basic.ts'
import type {Plugin} from './plugin.ts'
import {isRead} from './reads.ts'
import {compose} from './shared/compose.ts'
import {KK_FACTS, serviceWithoutPlugin} from './shared/service.ts'
import {accountRegions, clusterDomain, rabbitmqHosts} from './shared/trees.ts'
import {plugins as table} from './table.ts'

/** A chart with its directory: its files show which values it reads. */
export type FoundChart = Pick<Chart, 'name' | 'directory' | 'libraries'>

/** All plugins. */
export interface Plugins {
  /** The charts that have a plugin, sorted. */
  readonly charts: readonly string[]
  /** Plugins from outside that replace one of kk's own. */
  readonly replacing: readonly Plugin[]
  /**
   * Returns the plugin for a chart in its dialect, also for charts without their own plugin file; undefined
   * for a chart of neither dialect. For a name without files, it assumes the dialect in which kk knows the
   * chart. Rejects as `readDialectChart`.
   */
  find(chart: string | FoundChart): Promise<Plugin | undefined>
  /** Returns the declarations of a chart; its files are read once. */
  dialectChart(chart: FoundChart): DialectChart
}

/** Returns kk's own plugins; each is loaded on first use. */
export function builtInPlugins(): Plugins {
  const isWhole = memoize(definesChart)
  const dialectCharts = new Map<string, DialectChart>()
  const dialectChart = (chart: FoundChart) => {
    const declarations = dialectCharts.get(chart.directory) ?? readDialectChart(chart, isWhole)
    dialectCharts.set(chart.directory, declarations)
    return declarations
  }
  return {
    charts: [...new Set([...Object.keys(table), ...Object.keys(BASIC)])].sort(),
    replacing: [],
    dialectChart,
    async find(chart) {
      if (typeof chart !== 'string') return dialectPlugin(dialectChart(chart), await builtIn(chart.name))
      const plugin = await builtIn(chart)
      return plugin && dialectPlugin(assumedChart(chart, plugin.kk ? 'kk' : 'openstack-helm'), plugin)
    },
  }
}

async function builtIn(chart: string): Promise<Plugin | undefined> {
  if (Object.hasOwn(table, chart)) return (await table[chart]!()).plugin
  return Object.hasOwn(BASIC, chart) ? basicPlugin(chart, BASIC[chart]!) : undefined
}

/**
 * Returns the plugins together with external ones, which replace kk's own for the same chart. Requirements,
 * and secrets of accounts that charts share, are still those of kk's plugin, except secrets whose path the
 * external plugin declares itself.
 */
export function withPlugins(plugins: Plugins, outside: readonly Plugin[]): Plugins {
  const byChart = new Map(outside.map((plugin) => [plugin.chart, plugin]))
  return {
    charts: [...new Set([...plugins.charts, ...byChart.keys()])].sort(),
    replacing: outside.filter(({chart}) => plugins.charts.includes(chart)),
    dialectChart: plugins.dialectChart,
    async find(chart) {
      const plugin = byChart.get(typeof chart === 'string' ? chart : chart.name)
      if (!plugin) return plugins.find(chart)
      if (typeof chart === 'string') return plugin
      const named = new Set(plugin.secrets.map(({path}) => path.join('\0')))
      const accounts = accountSecrets(plugins.dialectChart(chart)).filter(
        ({path}) => !named.has(path.join('\0')),
      )
      const {requires} = (await plugins.find(chart)) ?? {}
      if (accounts.length === 0 && !requires) return plugin
      return {...plugin, secrets: [...accounts, ...plugin.secrets], ...(requires && {requires})}
    },
  }
}

/** Returns the plugin for a chart by its dialect and its name; undefined for a chart of neither dialect. */
function dialectPlugin(chart: DialectChart, own: Plugin | undefined): Plugin | undefined {
  const {name, dialect} = chart
  if (dialect === undefined) return undefined
  const declared = {
    chart: name,
    namespaces: own?.namespaces ?? ['openstack'],
    ...(own?.requires && {requires: own.requires}),
  }
  const accounts = accountSecrets(chart)
  if (dialect === 'kk') {
    const overrides: Plugin['overrides'] = own?.kk ?? ((facts) => serviceWithoutPlugin(facts, chart))
    return {...declared, reads: own?.kk ? (own.kkReads ?? own.reads) : KK_FACTS, secrets: accounts, overrides}
  }
  const common = commonParts(chart)
  return {
    ...declared,
    reads: [...new Set([...(own?.reads ?? []), ...common.map(({fact}) => fact)])],
    secrets: [...accounts, ...(own?.secrets ?? []).filter(({path}) => isRead(chart, path))],
    overrides: async (facts, namespace) =>
      compose(await own?.overrides(facts, namespace), ...common.map(({make}) => make(facts))),
  }
}

interface CommonPart {
  readonly fact: FactName
  readonly make: (facts: Facts) => Values | undefined
}

/** Returns the parts that every chart of openstack-helm gets from its declarations. */
function commonParts({endpoints}: DialectChart): readonly CommonPart[] {
  const {identity, oslo_messaging: bus} = endpoints
  const accounts = isMap(identity) && isMap(identity.auth) ? identity.auth : {}
  const users = Object.keys(accounts).filter((user) => isMap(accounts[user]))
  return [
    ...(Object.keys(endpoints).length > 0
      ? [{fact: 'dnsDomain', make: ({dnsDomain}: Facts) => clusterDomain(dnsDomain)} as const]
      : []),
    ...(users.length > 0
      ? [{fact: 'region', make: ({region}: Facts) => accountRegions(region, users)} as const]
      : []),
    ...(isMap(bus) && isMap(bus.statefulset) ? [{fact: 'controllers', make: rabbitmqHosts} as const] : []),
  ]
}

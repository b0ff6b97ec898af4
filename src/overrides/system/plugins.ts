import {BASIC, basicPlugin} from './basic.ts'
import type {Plugin} from './plugin.ts'
import {plugins as table} from './table.ts'

/** All plugins there are. */
export interface Plugins {
  /** The charts that have one, sorted. */
  readonly charts: readonly string[]
  /** Those from outside that take the place of one of kk's own. */
  readonly replacing: readonly Plugin[]
  /** Undefined for a chart that has none. */
  find(chart: string): Promise<Plugin | undefined>
}

/** kk's own plugins; each is loaded when it is asked for. */
export function builtInPlugins(): Plugins {
  return {
    charts: [...new Set([...Object.keys(table), ...Object.keys(BASIC)])].sort(),
    replacing: [],
    async find(chart) {
      if (Object.hasOwn(table, chart)) return (await table[chart]!()).plugin
      return Object.hasOwn(BASIC, chart) ? basicPlugin(chart, BASIC[chart]!) : undefined
    },
  }
}

/** The same with plugins from outside, which win over kk's own of the same chart. */
export function withPlugins(plugins: Plugins, outside: readonly Plugin[]): Plugins {
  const byChart = new Map(outside.map((plugin) => [plugin.chart, plugin]))
  return {
    charts: [...new Set([...plugins.charts, ...byChart.keys()])].sort(),
    replacing: outside.filter(({chart}) => plugins.charts.includes(chart)),
    find: async (chart) => byChart.get(chart) ?? plugins.find(chart),
  }
}

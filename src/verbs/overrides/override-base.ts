import {asKkError, KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import type {Values} from '../../base/values.ts'
import type {Helm} from '../../helm/helm.ts'
import {computedValues} from '../../overrides/computed.ts'
import type {Facts} from '../../overrides/facts/facts.ts'
import type {Layer} from '../../overrides/layer.ts'
import {systemSource} from '../../overrides/layers-of-place.ts'
import type {OverriddenChart} from '../../overrides/service.ts'
import {activeCharts, expectActive} from '../../overrides/system/active.ts'
import {secretPaths} from '../../overrides/system/plugin.ts'
import type {FoundChart, Plugins} from '../../overrides/system/plugins.ts'
import {systemOverrides} from '../../overrides/system/system-overrides.ts'
import type {OverrideStore} from '../../overrides/user/store.ts'
import type {Prepared, PreparedRelease} from '../../prepare/prepare.ts'
import {vendor} from '../../prepare/rendering/vendored.ts'
import {expectSettings} from '../../prepare/settings/expect-settings.ts'
import type {ValuePath} from '../../redact/values.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'

/** The charts and layers below the user overrides. */
export interface OverrideBase {
  /** The charts that are active, by name. */
  active(): Promise<readonly OverriddenChart[]>
  /** True if neither environment nor facts name charts: then all charts with a plugin are active. */
  readonly isAssumed?: boolean
  /**
   * The layers between the defaults of a chart that is active there and the user overrides, lowest precedence
   * first.
   */
  layers(name: string, namespace: string): Promise<readonly Layer[]>
  /** The names of the chart's releases there, active or not; undefined without an environment. */
  releases(name: string, namespace: string): readonly string[] | undefined
  /**
   * Checks the values with these user overrides against the options of the service, and with helm against the
   * schema of the chart. Rejects with `KK_VALUES`; without a chart nothing is checked.
   */
  check?(name: string, namespace: string, user: Values): Promise<void>
  /** Returns the paths of secrets in the values of a chart, or of all charts of this name. */
  secretPaths(chart: string | FoundChart): Promise<readonly ValuePath[]>
}

/** The override store, and the base below it. */
export interface OverrideOptions {
  readonly base: OverrideBase
  readonly store: Pick<
    OverrideStore,
    'get' | 'update' | 'put' | 'audit' | 'list' | 'secrets' | 'identity' | 'putAll'
  >
  /** Whether values that plugins declare as secret may be set. */
  readonly allowSecrets: boolean
}

/**
 * Returns the base of an environment: its releases determine the active charts, and its layers are below the
 * user overrides. Each is computed once. `helm` is called only to check a schema.
 */
export function environmentBase(prepared: Prepared, helm?: HelmOf): OverrideBase {
  const {plugins} = prepared
  const releases = [...prepared.releases.values()].map(({chart}) => chart)
  const placed = [...prepared.releases].map(([release, {chart}]) => ({
    chart: chart.name,
    namespace: releaseNamespace(release),
  }))
  let charts: ReturnType<OverrideBase['active']> | undefined
  const active = () => {
    charts ??= activeCharts({releases: placed, facts: {}, plugins})
    return charts
  }
  const below = new Map<PreparedRelease, readonly Layer[]>()
  return {
    active,
    layers: async (chart, namespace) => {
      expectActive(await active(), chart, namespace)
      const [, release] = onlyRelease(prepared, chart, namespace)
      const layers = below.get(release) ?? release.layers.filter(({name}) => name !== 'user')
      below.set(release, layers)
      return layers
    },
    releases: (chart, namespace) =>
      chartReleases(prepared, chart, namespace).map(([release]) => releaseName(release)),
    secretPaths: secretPathsOf(plugins, releases),
    ...(helm && {
      check: async (chart, namespace, user) => {
        for (const [release, each] of chartReleases(prepared, chart, namespace)) {
          const layer: Layer = {
            name: 'user',
            source: `user overrides of ${chart} in ${namespace}`,
            values: user,
          }
          const releases = new Map([[release, {...each, layers: [...each.layers, layer]}]])
          await expectSettings({...prepared, releases})
          await expectSchema(prepared, {release, user, helm})
        }
      },
    }),
  }
}

/**
 * Returns the only release of a chart in a namespace. Throws `KK_USAGE` for several: each has its own values.
 */
function onlyRelease(prepared: Prepared, chart: string, namespace: string): [ReleaseId, PreparedRelease] {
  const matches = chartReleases(prepared, chart, namespace)
  const [first, ...more] = matches
  if (first && more.length === 0) return first
  const names = matches.map(([release]) => releaseName(release))
  throw new KkError(
    'KK_USAGE',
    `${names.join(', ')} are all of the chart ${chart} in ${namespace}, each with its own values`,
    {hint: `omit the environment, or see one with kk values show ${names[0]}`},
  )
}

function chartReleases({releases}: Prepared, chart: string, namespace: string) {
  return [...releases].filter(
    ([release, each]) => each.chart.name === chart && releaseNamespace(release) === namespace,
  )
}

/** Finds helm. Rejects with `KK_HELM_MISSING` if there is none. */
export type HelmOf = () => Promise<Pick<Helm, 'template'>>

interface SchemaCheck {
  readonly release: ReleaseId
  /** The user overrides. */
  readonly user: Values
  readonly helm: HelmOf
}

/** Has helm compute the values of a chart, which checks them against its schema. Rejects with `KK_VALUES`. */
async function expectSchema(prepared: Prepared, {release, user, helm}: SchemaCheck): Promise<void> {
  const openedHelm = await helm().catch((error: unknown) => {
    if (asKkError(error).code !== 'KK_HELM_MISSING') throw error
  })
  if (!openedHelm) return
  const vendored = await vendor(prepared, [release])
  try {
    const call = vendored.call(release)
    await computedValues(openedHelm, {...call, values: mergeValues(call.values, user)})
  } finally {
    await vendored.remove()
  }
}

export interface FactsBaseOptions {
  readonly facts: Facts
  /** The file with the facts, for messages. */
  readonly file?: string | undefined
  readonly plugins: Plugins
}

/**
 * Returns the base without an environment: the facts, or else the plugins, name the active charts, and only
 * system overrides are below the user overrides. Facts and plugins do not change, so each is computed once
 * for all requests of a service.
 */
export function factsBase({facts, file, plugins}: FactsBaseOptions): OverrideBase {
  let charts: ReturnType<OverrideBase['active']> | undefined
  const active = () => {
    charts ??= activeCharts({facts, file, plugins})
    return charts
  }
  const layersByPlace = new Map<string, readonly Layer[]>()
  const layers: OverrideBase['layers'] = async (chart, namespace) => {
    const key = `${namespace}/${chart}`
    const cached = layersByPlace.get(key)
    if (cached) return cached
    const values = await systemOverrides({active: await active(), chart, namespace, facts, plugins})
    const plugin = await plugins.find(chart)
    const layers = [{name: 'system', source: systemSource(chart, namespace, plugin?.file), values}] as const
    layersByPlace.set(key, layers)
    return layers
  }
  const isAssumed = facts.charts === undefined
  return {active, isAssumed, layers, releases: () => undefined, secretPaths: secretPathsOf(plugins)}
}

/**
 * Returns a function that returns the secret paths of a chart according to its plugin; empty without a
 * plugin. For a name, the paths of the charts in `foundCharts` with that name are returned, if any. Each
 * plugin is called once.
 */
export function secretPathsOf(
  plugins: Plugins,
  foundCharts: Iterable<FoundChart> = [],
): OverrideBase['secretPaths'] {
  const charts = [...new Map([...foundCharts].map((chart) => [chart.directory, chart])).values()]
  const pathsByChart = new Map<string, ReturnType<OverrideBase['secretPaths']>>()
  const paths = async (chartList: readonly (string | FoundChart)[]) => {
    const chartPlugins = await Promise.all(chartList.map((each) => plugins.find(each)))
    return chartPlugins.flatMap((plugin) => (plugin ? secretPaths(plugin) : []))
  }
  return (chart) => {
    const key = typeof chart === 'string' ? chart : chart.directory
    const named = charts.filter(({name}) => name === chart)
    const answer = pathsByChart.get(key) ?? paths(named.length > 0 ? named : [chart])
    pathsByChart.set(key, answer)
    return answer
  }
}

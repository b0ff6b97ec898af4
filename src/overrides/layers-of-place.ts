import {KkError} from '../base/errors.ts'
import {mergeValues} from '../base/merge.ts'
import {isEmpty, type Values} from '../base/values.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'
import type {FactName, Facts} from './facts/facts.ts'
import type {Layer} from './layer.ts'
import {ingressCertificate} from './system/ingress.ts'
import type {FoundChart, Plugins} from './system/plugins.ts'
import {foreignServers} from './system/servers.ts'
import {factsFor, factsRead} from './system/system-overrides.ts'
import type {DocumentOverrides} from './user/document.ts'
import type {OverrideStore, StoredOverrides, StoreIdentity} from './user/store.ts'
import {changedBy, type HistoryEntry, keptValues} from './user/stored-values.ts'

/** Returns the layer of a chart in a namespace; undefined if there is none. */
export type LayerOf = (chart: string, namespace: string) => Promise<Layer | undefined>

/**
 * Returns the system layers of releases of these charts, of an environment with this `global`. The facts are
 * read once the wanted charts are known, and the layer of one release depends on the other releases.
 */
export type SystemLayersOf = (
  charts: ReadonlyMap<ReleaseId, FoundChart>,
  global?: Values,
) => Promise<(release: ReleaseId) => Promise<Layer | undefined>>

/** The store of the user layers, for commands that change the cluster. */
export interface StoreUse {
  /** The identity of the store; undefined if there is none. */
  readonly identity: StoreIdentity | undefined
  /**
   * Whether the store replaces the store with which releases were deployed, and the cluster that the store is
   * bound to.
   */
  readonly isAdopted: boolean
  /** Whether the cluster is a throwaway one, which has another identity each time. */
  readonly isThrowaway: boolean
}

/** Layers that depend on chart and namespace, not on the release. */
export interface PlaceLayers {
  readonly system?: SystemLayersOf | undefined
  /** The plugins that make `system`; kk's own by default. */
  readonly plugins?: Plugins | undefined
  readonly user?: LayerOf | undefined
  readonly store?: StoreUse | undefined
}

/** Returns the display name of system overrides. */
export function systemSource(chart: string, namespace: string, file?: string): string {
  const plugin = file === undefined ? 'a built-in plugin' : `the plugin ${file}`
  return `system overrides of ${chart} in ${namespace}, by ${plugin}`
}

/**
 * Returns system overrides as layers; none if a plugin has no values. `facts` is called once, with the facts
 * that plugins read.
 */
export function systemLayers(
  facts: (names: readonly FactName[]) => Promise<Facts>,
  plugins: Plugins,
): SystemLayersOf {
  return async (charts, global) => {
    const knownFacts = await facts(await factsRead(charts.values(), plugins))
    const spoken = new Map([...charts].map(([release, chart]) => [release, plugins.dialectChart(chart)]))
    return async (release) => {
      const chart = charts.get(release)!
      const namespace = releaseNamespace(release)
      const plugin = await plugins.find(chart)
      const generated = (await plugin?.overrides(factsFor(plugin, knownFacts), namespace)) ?? {}
      const servers = foreignServers(release, spoken)
      const values = mergeValues(generated, servers, ingressCertificate(release, spoken, global))
      if (isEmpty(values)) return undefined
      return {name: 'system', source: systemSource(chart.name, namespace, plugin?.file), values}
    }
  }
}

/** Reads the deployer's overrides as layers, in one query. */
export async function userLayers(store: Pick<OverrideStore, 'list'>): Promise<LayerOf> {
  const stored = new Map((await store.list()).map((each) => [`${each.namespace}/${each.name}`, each]))
  return async (chart, namespace) => {
    const overrides = stored.get(`${namespace}/${chart}`)
    return overrides && userLayer(chart, namespace, overrides)
  }
}

/** Returns the deployer's overrides in a document as layers. Throws `KK_STORE_KEY` for encrypted ones. */
export function documentLayers(overrides: readonly DocumentOverrides[]): LayerOf {
  const layers = new Map(
    overrides.map(({name, namespace, overrides: values}) => {
      if (typeof values === 'string') throw sealedOverrides(name, namespace)
      const source = `user overrides of ${name} in ${namespace}`
      return [`${namespace}/${name}`, {name: 'user', source, values, sealed: true} as const] as const
    }),
  )
  return async (chart, namespace) => layers.get(`${namespace}/${chart}`)
}

function sealedOverrides(name: string, namespace: string): KkError {
  return new KkError('KK_STORE_KEY', `the overrides of ${name} in ${namespace} are encrypted`, {
    hint: 'export them with: kk overrides export --show-secrets',
  })
}

/** Returns the layer of the deployer's overrides of one chart in one namespace. */
export function userLayer(chart: string, namespace: string, stored: StoredOverrides | undefined): Layer {
  return {name: 'user', source: `user overrides of ${chart} in ${namespace}`, ...keptValues(stored)}
}

/** Returns the changes of the deployer's overrides of a chart in a namespace, newest first. */
export type HistoryOf = (chart: string, namespace: string) => Promise<readonly HistoryEntry[]>

/** Returns the layer with the author and time of each key. */
export function withAuthors(layer: Layer, history: readonly HistoryEntry[]): Layer {
  const changed = changedBy(history)
  const sourceOf = (path: readonly string[]) => {
    const change = changed(path)
    return change ? `${layer.source}, by ${change.who} at ${change.at}` : layer.source
  }
  return {...layer, sourceOf}
}

import type {Facts} from '../../overrides/facts/facts.ts'
import type {Layer} from '../../overrides/layer.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import {factsFor} from '../../overrides/system/system-overrides.ts'
import type {OverrideStore, StoreIdentity} from '../../overrides/user/store.ts'
import {storedValues} from './stored-values.ts'

/** The layer of a chart in a namespace; undefined where there is none. */
export type LayerOf = (chart: string, namespace: string) => Promise<Layer | undefined>

/** The store from which user layers come, for those who change the cluster. */
export interface StoreUse {
  /** Undefined where there is none. */
  readonly identity: StoreIdentity | undefined
  /** Whether it takes the place of the one that releases were deployed with, and of its cluster. */
  readonly isAdopted: boolean
  /** Whether it is one of a throwaway cluster, which is another one each time. */
  readonly isThrowaway: boolean
}

/** Layers that depend on chart and namespace, not on the release. */
export interface PlaceLayers {
  readonly system?: LayerOf | undefined
  readonly user?: LayerOf | undefined
  readonly store?: StoreUse | undefined
}

/** What system overrides are called where layers are named. */
export function systemSource(chart: string, namespace: string): string {
  return `system overrides of ${chart} in ${namespace}`
}

/** System overrides as layers. */
export function systemLayers(facts: Facts, plugins: Plugins): LayerOf {
  return async (chart, namespace) => {
    const plugin = await plugins.find(chart)
    if (!plugin) return undefined
    const values = await plugin.overrides(factsFor(plugin, facts), namespace)
    return {name: 'system', source: systemSource(chart, namespace), values}
  }
}

/** The deployer's overrides as layers: read once, all of them, in one query. */
export async function userLayers(store: Pick<OverrideStore, 'list'>): Promise<LayerOf> {
  const stored = new Map((await store.list()).map((each) => [`${each.namespace}/${each.name}`, each]))
  return async (chart, namespace) => {
    const found = stored.get(`${namespace}/${chart}`)
    if (!found) return undefined
    return {
      name: 'user',
      source: `user overrides of ${chart} in ${namespace}`,
      values: storedValues(found),
    }
  }
}

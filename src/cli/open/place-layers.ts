import type {Environment} from '../../environment/environment.ts'
import {builtInPlugins} from '../../overrides/system/plugins.ts'
import {
  type LayerOf,
  type PlaceLayers,
  systemLayers,
  userLayers,
} from '../../verbs/overrides/layers-of-place.ts'
import {type FactsFlags, factsOf} from './facts.ts'
import {openStoreToDeploy, type StoreFlags} from './store.ts'

/** What facts and the store of overrides say, each as far as there is one; without either nothing is loaded. */
export async function placeLayers(
  flags: StoreFlags & FactsFlags,
  environment: Environment,
): Promise<PlaceLayers> {
  const system = await systemLayer(flags)
  const store = await openStoreToDeploy(flags, environment)
  try {
    return {system, user: store && (await userLayers(store))}
  } finally {
    await store?.close()
  }
}

/** What the facts say; undefined where nobody gave any. */
export async function systemLayer(flags: FactsFlags): Promise<LayerOf | undefined> {
  const facts = await factsOf(flags)
  return facts && systemLayers(facts, builtInPlugins())
}

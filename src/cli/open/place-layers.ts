import type {Environment} from '../../environment/environment.ts'
import {
  type LayerOf,
  type PlaceLayers,
  systemLayers,
  userLayers,
} from '../../verbs/overrides/layers-of-place.ts'
import {type FactsFlags, factsOf} from './facts.ts'
import {openPlugins, type PluginsFlags} from './plugins.ts'
import {openStoreToDeploy, type StoreFlags} from './store.ts'

export interface AdoptStoreFlag {
  readonly 'adopt-store'?: boolean | undefined
}

/** What facts and the store of overrides say, each as far as there is one; without either nothing is loaded. */
export async function placeLayers(
  flags: StoreFlags & FactsFlags & PluginsFlags & AdoptStoreFlag,
  environment: Environment,
): Promise<PlaceLayers> {
  const system = await systemLayer(flags, environment)
  const store = await openStoreToDeploy(flags, environment)
  try {
    return {
      system,
      user: store && (await userLayers(store)),
      store: {
        identity: await store?.identity(),
        isAdopted: flags['adopt-store'] ?? false,
        isThrowaway: flags.sandbox === true || flags['sandbox-name'] !== undefined,
      },
    }
  } finally {
    await store?.close()
  }
}

/** What the facts say; undefined where nobody gave any. */
export async function systemLayer(
  flags: FactsFlags & PluginsFlags,
  environment: Pick<Environment, 'global'>,
): Promise<LayerOf | undefined> {
  const facts = await factsOf(flags, environment)
  return facts && systemLayers(facts, await openPlugins(flags))
}

import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import type {FactName} from '../../overrides/facts/facts.ts'
import {partsFor} from '../../overrides/facts/from-inventory.ts'
import {knownFacts} from '../../verbs/facts/known-facts.ts'
import {type PlaceLayers, systemLayers, userLayers} from '../../verbs/overrides/layers-of-place.ts'
import {type FactsFlags, factsFile} from './facts.ts'
import {openPlugins, type PluginsFlags} from './plugins.ts'
import {openStoreToDeploy, type StoreFlags} from './store.ts'

export interface AdoptStoreFlag {
  readonly 'adopt-store'?: boolean | undefined
}

/** Who tells the facts that neither a facts file nor the environment states, and which kinds there are. */
export interface Unstated {
  /** Opened only when that is wanted; without one, it stays unknown. */
  readonly cluster?: (() => Promise<Pick<Cluster, 'inventory' | 'customKinds'>>) | undefined
  /** Told of the facts that a cluster would know, where none is asked. */
  readonly onMissing?: ((names: readonly FactName[]) => void) | undefined
}

/** What facts and the store of overrides say, each as far as there is one. */
export async function placeLayers(
  flags: StoreFlags & FactsFlags & PluginsFlags & AdoptStoreFlag,
  environment: Environment,
  unstated: Unstated = {},
): Promise<PlaceLayers> {
  const system = await systemLayer(flags, environment, unstated)
  const store = await openStoreToDeploy(flags, environment)
  try {
    return {
      ...system,
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

/** What plugins make of the facts, and the plugins. */
export async function systemLayer(
  flags: FactsFlags & PluginsFlags,
  environment: Pick<Environment, 'global'>,
  {cluster, onMissing}: Unstated = {},
): Promise<Required<Pick<PlaceLayers, 'system' | 'plugins'>>> {
  const file = factsFile(flags)
  const facts = async (names: readonly FactName[]) => {
    const {facts: known} = await knownFacts({file, environment, names, cluster})
    const missing = names.filter((name) => known[name] === undefined)
    const askable = [...partsFor(missing).values()].flat()
    if (!cluster && askable.length > 0) onMissing?.(askable.sort())
    return known
  }
  const plugins = await openPlugins(flags)
  return {plugins, system: systemLayers(facts, plugins)}
}

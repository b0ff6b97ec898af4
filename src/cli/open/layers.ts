import {oncePer} from '../../base/once.ts'
import type {Environment} from '../../environment/environment.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {InventoryPart, InventoryReader} from '../../kubernetes/inventory/inventory.ts'
import type {FactName, KnownFacts} from '../../overrides/facts/facts.ts'
import {partsFor} from '../../overrides/facts/from-inventory.ts'
import {type PlaceLayers, systemLayers, userLayers} from '../../overrides/layers-of-place.ts'
import {builtInPlugins, type Plugins, withPlugins} from '../../overrides/system/plugins.ts'
import {type FactSources, knownFacts} from '../../verbs/facts/known-facts.ts'
import type {AdoptStoreFlags, ClusterFlags, FactsFlags, PluginsFlags, StoreFlags} from '../flags.ts'
import {lazyCluster, namesCluster} from './cluster.ts'
import {openStoreToDeploy} from './store.ts'

/** The source of facts that neither a facts file nor the environment states, and of the kinds that there are. */
export interface Unstated {
  /** Opened only when that is wanted; without one, it stays unknown. */
  readonly cluster?:
    | (() => Promise<{readonly inventory: InventoryReader; readonly apiServer: ApiServer}>)
    | undefined
  /** Told of the facts that a cluster would know, where none is asked. */
  readonly onMissing?: ((names: readonly FactName[]) => void) | undefined
}

/** Returns the layers of values that facts and the store of overrides make, each as far as there is one. */
export async function placeLayers(
  flags: StoreFlags & FactsFlags & PluginsFlags & AdoptStoreFlags,
  environment: Environment,
  unstated: Unstated = {},
): Promise<PlaceLayers> {
  const system = await systemLayer(flags, environment, unstated)
  await using store = await openStoreToDeploy(flags, environment)
  return {
    ...system,
    user: store && (await userLayers(store)),
    store: {
      identity: await store?.identity(),
      isAdopted: flags['adopt-store'] ?? false,
      isThrowaway: flags.sandbox === true || flags['sandbox-name'] !== undefined,
    },
  }
}

/** Returns the layers that plugins make of the facts, and the plugins. */
export async function systemLayer(
  flags: FactsFlags & PluginsFlags,
  environment: Pick<Environment, 'global'>,
  {cluster, onMissing}: Unstated = {},
): Promise<Required<Pick<PlaceLayers, 'system' | 'plugins'>>> {
  const file = factsFile(flags)
  // Each round of the inference asks for the facts again.
  const read = oncePer(async (part: InventoryPart) => (await cluster!()).inventory.read(part))
  const facts = async (names: readonly FactName[]) => {
    const asked = cluster && (async () => ({inventory: {read}}))
    const {facts: known} = await knownFacts({file, environment, names, cluster: asked})
    const missing = names.filter((name) => known[name] === undefined)
    const askable = [...partsFor(missing).values()].flat()
    if (!cluster && askable.length > 0) onMissing?.(askable.sort())
    return known
  }
  const plugins = await openPlugins(flags)
  return {plugins, system: systemLayers(facts, plugins)}
}

/** Returns the facts file that the flag, or KK_FACTS, names. */
export function factsFile({facts}: FactsFlags): string | undefined {
  return facts ?? (process.env.KK_FACTS || undefined)
}

/** Returns kk's own plugins, with those of the directory that the flag, or KK_PLUGINS, names. Rejects as `readPlugins` does. */
export async function openPlugins({plugins}: PluginsFlags): Promise<Plugins> {
  const directory = plugins ?? (process.env.KK_PLUGINS || undefined)
  if (directory === undefined) return builtInPlugins()
  const {readPlugins} = await import('../../overrides/system/read-plugins.ts')
  return withPlugins(builtInPlugins(), await readPlugins(directory))
}

/**
 * Returns the facts of these names. With a facts file, the cluster is asked only when the command line names one: so what is
 * made of a facts file is the same everywhere, and needs no cluster.
 */
export async function openFacts(
  flags: FactsFlags & ClusterFlags,
  environment: Environment | undefined,
  names: FactSources['names'],
): Promise<KnownFacts> {
  const file = factsFile(flags)
  const named = namesCluster(flags)
  await using cluster = lazyCluster(flags, environment)
  const asks = file === undefined || named
  return await knownFacts({file, environment, names, ...(asks && {cluster: cluster.open})})
}

import {memoize} from '../../base/once.ts'
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

/**
 * The source of facts that neither a facts file nor the environment sets, and of the served resource kinds.
 */
export interface UnstatedFacts {
  /** Opened only on demand; without a cluster, these facts stay unknown. */
  readonly cluster?:
    | (() => Promise<{readonly inventory: InventoryReader; readonly apiServer: ApiServer}>)
    | undefined
  /** Called with the facts that a cluster would provide, if there is no cluster. */
  readonly onMissing?: ((names: readonly FactName[]) => void) | undefined
}

/** Returns the layers of values from the facts and from the override store, if there is one. */
export async function placeLayers(
  flags: StoreFlags & FactsFlags & PluginsFlags & AdoptStoreFlags,
  environment: Environment,
  unstated: UnstatedFacts = {},
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

/** Returns the layers that plugins generate from the facts, and the plugins. */
export async function systemLayer(
  flags: FactsFlags & PluginsFlags,
  environment: Pick<Environment, 'global'>,
  {cluster, onMissing}: UnstatedFacts = {},
): Promise<Required<Pick<PlaceLayers, 'system' | 'plugins'>>> {
  const file = factsFile(flags)
  // Each round of the inference reads the facts again.
  const read = memoize(async (part: InventoryPart) => (await cluster!()).inventory.read(part))
  const facts = async (names: readonly FactName[]) => {
    const source = cluster && (async () => ({inventory: {read}}))
    const {facts} = await knownFacts({file, environment, names, cluster: source})
    const missing = names.filter((name) => facts[name] === undefined)
    const available = [...partsFor(missing).values()].flat()
    if (!cluster && available.length > 0) onMissing?.(available.sort())
    return facts
  }
  const plugins = await openPlugins(flags)
  return {plugins, system: systemLayers(facts, plugins)}
}

/** Returns the path of the facts file, from the flag or KK_FACTS. */
export function factsFile({facts}: FactsFlags): string | undefined {
  return facts ?? (process.env.KK_FACTS || undefined)
}

/**
 * Returns the built-in plugins and those in the directory of the flag or KK_PLUGINS. Rejects like
 * `readPlugins`.
 */
export async function openPlugins({plugins}: PluginsFlags): Promise<Plugins> {
  const directory = plugins ?? (process.env.KK_PLUGINS || undefined)
  if (directory === undefined) return builtInPlugins()
  const {readPlugins} = await import('../../overrides/system/read-plugins.ts')
  return withPlugins(builtInPlugins(), await readPlugins(directory))
}

/**
 * Returns the facts with these names. With a facts file, the cluster is read only if the command line names
 * one: the result then depends only on the file, and needs no cluster.
 */
export async function openFacts(
  flags: FactsFlags & ClusterFlags,
  environment: Environment | undefined,
  names: FactSources['names'],
): Promise<KnownFacts> {
  const file = factsFile(flags)
  await using cluster = lazyCluster(flags, environment)
  const readsCluster = file === undefined || namesCluster(flags)
  return await knownFacts({file, environment, names, ...(readsCluster && {cluster: cluster.open})})
}

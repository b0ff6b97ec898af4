import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {InventoryPart, InventoryReader} from '../../kubernetes/inventory/inventory.ts'
import {combineFacts, type FactName, type Facts, type KnownFacts} from '../../overrides/facts/facts.ts'
import {factsOfEnvironment} from '../../overrides/facts/from-environment.ts'
import {factsOfInventory, partsFor} from '../../overrides/facts/from-inventory.ts'
import {readFactsFile} from '../../overrides/facts/read-facts-file.ts'

export interface FactSources {
  /** The path as the user wrote it; `-` for standard input. */
  readonly file?: string | undefined
  readonly environment?: Pick<Environment, 'global'> | undefined
  /**
   * Opens the cluster; called only if neither file nor environment states a wanted fact. The caller closes
   * it.
   */
  readonly cluster?: (() => Promise<{readonly inventory: InventoryReader}>) | undefined
  /**
   * The wanted facts, from `factsRead`, or a function of the stated facts; only these are read from the
   * cluster.
   */
  readonly names: Iterable<FactName> | ((stated: Facts) => Promise<Iterable<FactName>>)
}

/**
 * Returns the known facts of the cloud: the facts file wins over the environment, which wins over the
 * cluster. Rejects with the errors of `readFactsFile` and of the cluster, and with `KK_FORBIDDEN` if the
 * cluster may not be read: otherwise overrides would depend on the permissions of the user.
 */
export async function knownFacts({file, environment, cluster, names}: FactSources): Promise<KnownFacts> {
  const stated = combineFacts([
    ...(environment ? [{source: 'environment', facts: factsOfEnvironment(environment)}] : []),
    ...(file === undefined ? [] : [{source: file, facts: await readFactsFile(file)}]),
  ])
  const wanted = typeof names === 'function' ? await names(stated.facts) : names
  const missing = [...wanted].filter((name) => stated.facts[name] === undefined)
  const clusterFacts = cluster ? await askCluster(cluster, missing) : {}
  const missingFacts = Object.fromEntries(
    Object.entries(clusterFacts).filter(([name]) => missing.includes(name as FactName)),
  )
  const all = combineFacts([
    {source: 'cluster', facts: missingFacts},
    {source: '', facts: stated.facts},
  ])
  return {facts: all.facts, sources: {...all.sources, ...stated.sources}}
}

async function askCluster(
  open: NonNullable<FactSources['cluster']>,
  names: readonly FactName[],
): Promise<Facts> {
  const parts = [...partsFor(names)]
  if (parts.length === 0) return {}
  const cluster = await open()
  const inventories = await Promise.all(
    parts.map(([part, needed]) => cluster.inventory.read(part).catch((error) => refuse(error, part, needed))),
  )
  return factsOfInventory(Object.assign({}, ...inventories))
}

function refuse(error: unknown, part: InventoryPart, names: readonly FactName[]): never {
  if (!(error instanceof KkError) || error.code !== 'KK_FORBIDDEN') throw error
  const message = `${error.message}; from the ${WORDS[part]} kk reads the facts ${names.join(', ')}`
  throw new KkError('KK_FORBIDDEN', message, {
    hint: 'state them in a facts file: --facts FILE, or KK_FACTS; kk facts shows those that are known',
    cause: error,
  })
}

const WORDS: Readonly<Record<InventoryPart, string>> = {
  nodes: 'nodes',
  version: 'version',
  storageClasses: 'storage classes',
  dnsDomain: 'configuration of DNS',
}

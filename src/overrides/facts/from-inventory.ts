import type {Inventory, InventoryPart, SeenNode} from '../../kubernetes/inventory/inventory.ts'
import type {FactName, Facts} from './facts.ts'

const CONTROLLER = 'openstack-control-plane'
const COMPUTE = 'openstack-compute-node'
const ZONE = 'topology.kubernetes.io/zone'

/** The part of the inventory from which a fact is read; the other facts are only set by users. */
const PARTS: Partial<Readonly<Record<FactName, InventoryPart>>> = {
  controllers: 'nodes',
  computes: 'nodes',
  nodes: 'nodes',
  cpus: 'nodes',
  memory: 'nodes',
  zones: 'nodes',
  ipFamily: 'nodes',
  kubernetesVersion: 'version',
  storageClasses: 'storageClasses',
  defaultStorageClass: 'storageClasses',
  dnsDomain: 'dnsDomain',
}

/** Returns the parts of the inventory to read for these facts, each with the facts that need it. */
export function partsFor(names: Iterable<FactName>): ReadonlyMap<InventoryPart, readonly FactName[]> {
  const parts = new Map<InventoryPart, FactName[]>()
  for (const name of names) {
    const part = PARTS[name]
    if (part) parts.set(part, [...(parts.get(part) ?? []), name])
  }
  return parts
}

/**
 * Returns the facts in an inventory. Nodes without OpenStack labels yield no numbers of controllers or
 * computes.
 */
export function factsOfInventory({nodes, version, storageClasses, dnsDomain}: Inventory): Facts {
  const facts: Facts = {
    ...(nodes && factsOfNodes(nodes)),
    ...(version !== undefined && {kubernetesVersion: version}),
    ...(storageClasses && {storageClasses: storageClasses.map(({name}) => name).sort()}),
    ...(dnsDomain !== undefined && {dnsDomain}),
  }
  const preferred = storageClasses?.find(({isDefault}) => isDefault)
  return preferred ? {...facts, defaultStorageClass: preferred.name} : facts
}

function factsOfNodes(nodes: readonly SeenNode[]): Facts {
  const controllers = nodes.filter(({labels}) => labels[CONTROLLER] === 'enabled')
  const computes = nodes.filter(({labels}) => labels[COMPUTE] === 'enabled')
  const family = findFamily(nodes)
  return {
    ...(nodes.length > 0 && {nodes: nodes.length}),
    ...(controllers.length + computes.length > 0 && {computes: computes.length}),
    ...(family && {ipFamily: family}),
    ...(controllers.length > 0 && factsOfControllers(controllers)),
  }
}

function factsOfControllers(controllers: readonly SeenNode[]): Facts {
  const zones = new Set(controllers.flatMap(({labels}) => labels[ZONE] ?? []))
  return {
    controllers: controllers.length,
    cpus: Math.max(1, Math.min(...controllers.map(({cpus}) => cpus))),
    memory: Math.max(1, Math.min(...controllers.map(({memory}) => memory))),
    ...(zones.size > 0 && {zones: [...zones].sort()}),
  }
}

/** Returns the only IP family of the nodes' addresses; undefined if they have both, or none. */
function findFamily(nodes: readonly SeenNode[]): Facts['ipFamily'] {
  const families = new Set(
    nodes.flatMap(({addresses}) => addresses).map((address) => (address.includes(':') ? 'ipv6' : 'ipv4')),
  )
  const [only] = families
  return families.size === 1 ? only : undefined
}

/** The name of the pods' bridge in the kernel. */
export const BRIDGE = 'kk-aio0'

/** The machine's address on the bridge, at which pods reach the node, its DNS server and its registry. */
export const GATEWAY = '10.213.0.1'

/** The CIDR of pod addresses. */
export const PODS = '10.213.0.0/16'

/** The address of a node with namespaces of its own, by its number; its pods have the rest of that /24. */
export function nodeAddress(number: number): string {
  return `10.213.${number}.1`
}

/** Returns the first and last address of the pods of a node with namespaces of its own. */
export function podRange(number: number): {readonly rangeStart: string; readonly rangeEnd: string} {
  return {rangeStart: `10.213.${number}.10`, rangeEnd: `10.213.${number}.250`}
}

/** The largest number of nodes: each has a part of the addresses. */
export const MOST_NODES = 9

/**
 * The networks between nodes with namespaces of their own, beside that of pods: bridges of the machine, which
 * has their first address, and an interface of each node. In that of tunnels each node has an address, too;
 * the other is a network outside the cloud.
 */
export const NODE_NETWORKS = [
  {bridge: 'kk-aio-tunnels', interface: 'eth1', network: '10.215.0.0/24', hasNodes: true},
  {bridge: 'kk-aio-public', interface: 'eth2', network: '172.24.4.0/24', hasNodes: false},
] as const

/** The CIDR of Service addresses. At its first address pods reach the API server. */
export const SERVICES = '10.214.0.0/16'
export const API_SERVICE = '10.214.0.1'

/** The port of the registry; fixed, because it is part of image names. */
export const REGISTRY_PORT = 5010

/** The registry in image names: on loopback, for the machine and its kubelet. */
export const REGISTRY = `localhost:${REGISTRY_PORT}`

/** The address of the registry for pods. */
export const REGISTRY_FOR_PODS = `${GATEWAY}:${REGISTRY_PORT}`

export const KUBELET_PORT = 10_250
export const DNS_PORT = 53

/** The name of the pods' bridge in the kernel. */
export const BRIDGE = 'kk-aio0'

/** The machine's address on the bridge, at which pods reach the node, its DNS server and its registry. */
export const GATEWAY = '10.213.0.1'

/** The CIDR of pod addresses. */
export const PODS = '10.213.0.0/16'

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

/** The facts about a cloud, from the cluster's inventory or a facts file; any may be missing. */
export interface Facts {
  /** The active charts with their namespaces, where no environment says it. */
  readonly charts?: Readonly<Record<string, readonly string[]>>
  /** Nodes that bear `openstack-control-plane=enabled`, `openstack-compute-node=enabled`; all nodes. */
  readonly controllers?: number
  readonly computes?: number
  readonly nodes?: number
  /** Of the smallest controller: whole CPUs, and memory in MiB. */
  readonly cpus?: number
  readonly memory?: number
  /** Failure domains, by `topology.kubernetes.io/zone`. */
  readonly zones?: readonly string[]
  /** E.g. `v1.36.3`. */
  readonly kubernetesVersion?: string
  readonly storageClasses?: readonly string[]
  readonly defaultStorageClass?: string
  /** Where volumes, images and databases live: Ceph (RBD), a StorageClass, or nowhere once the pod has gone. */
  readonly storage?: 'ceph' | 'class' | 'ephemeral'
  readonly ceph?: {
    /** `host:port` each. */
    readonly monitors: readonly string[]
    readonly user?: string
    /** Copies of each object. */
    readonly replication?: number
  }
  /** Of cluster services, e.g. `cluster.local`. */
  readonly dnsDomain?: string
  /** What public endpoints end with, e.g. `cloud.example.org`. */
  readonly publicDomain?: string
  readonly ipFamily?: 'ipv4' | 'ipv6'
  readonly region?: string
  readonly tls?: boolean
  /** Everything on one machine: small limits, no spreading. */
  readonly allInOne?: boolean
}

export type FactName = keyof Facts

/** Facts, and for each where it comes from: `cluster`, `environment` or the name of a file. */
export interface KnownFacts {
  readonly facts: Facts
  readonly sources: Readonly<Partial<Record<FactName, string>>>
}

/** Facts of one origin: `cluster`, `environment` or the name of a file. */
export interface FactsFrom {
  readonly source: string
  readonly facts: Facts
}

/** Combines facts of several origins, from the weakest to the strongest: a fact is taken whole, never mixed. */
export function combineFacts(origins: readonly FactsFrom[]): KnownFacts {
  const sources: Partial<Record<FactName, string>> = {}
  for (const {source, facts} of origins) {
    for (const name of Object.keys(facts) as FactName[]) if (facts[name] !== undefined) sources[name] = source
  }
  const facts = Object.assign({}, ...origins.map(({facts: each}) => each)) as Facts
  return {facts, sources}
}

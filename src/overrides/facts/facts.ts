/** The facts about a cloud, from the cluster's inventory or a facts file; any may be missing. */
export interface Facts {
  /** The active charts with their namespaces, if no environment defines them. */
  readonly charts?: Readonly<Record<string, readonly string[]>>
  /**
   * The number of nodes labelled `openstack-control-plane=enabled` and `openstack-compute-node=enabled`, and
   * of all nodes.
   */
  readonly controllers?: number
  readonly computes?: number
  readonly nodes?: number
  /** The whole CPUs, and the memory in MiB, of the smallest controller. */
  readonly cpus?: number
  readonly memory?: number
  /** Failure domains, by `topology.kubernetes.io/zone`. */
  readonly zones?: readonly string[]
  /** E.g. `v1.36.3`. */
  readonly kubernetesVersion?: string
  readonly storageClasses?: readonly string[]
  readonly defaultStorageClass?: string
  /**
   * The storage of volumes, images and databases: Ceph (RBD), a StorageClass, or none that outlives the pod.
   */
  readonly storage?: 'ceph' | 'class' | 'ephemeral'
  readonly ceph?: {
    /** `host:port` each. */
    readonly monitors: readonly string[]
    readonly user?: string
    /** Copies of each object. */
    readonly replication?: number
  }
  /** The domain of cluster services, e.g. `cluster.local`. */
  readonly dnsDomain?: string
  /** The domain of public endpoints, e.g. `cloud.example.org`. */
  readonly publicDomain?: string
  readonly ipFamily?: 'ipv4' | 'ipv6'
  readonly region?: string
  readonly tls?: boolean
  /** All services on one machine: small limits, no spreading. */
  readonly allInOne?: boolean
}

export type FactName = keyof Facts

/** Facts, and the source of each: `cluster`, `environment` or the name of a file. */
export interface KnownFacts {
  readonly facts: Facts
  readonly sources: Readonly<Partial<Record<FactName, string>>>
}

/** Facts of one origin: `cluster`, `environment` or the name of a file. */
export interface OriginFacts {
  readonly source: string
  readonly facts: Facts
}

/**
 * Combines facts from several sources, from the weakest to the strongest: a fact is replaced as a whole,
 * never merged.
 */
export function combineFacts(origins: readonly OriginFacts[]): KnownFacts {
  const sources: Partial<Record<FactName, string>> = {}
  for (const {source, facts} of origins) {
    for (const name of Object.keys(facts) as FactName[]) if (facts[name] !== undefined) sources[name] = source
  }
  const facts = Object.assign({}, ...origins.map(({facts: each}) => each)) as Facts
  return {facts, sources}
}

import type {SeenStorageClass} from '../diagnosis/diagnosis.ts'

/** A node, with what tells the size of the cloud. */
export interface SeenNode {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The number of whole CPUs. */
  readonly cpus: number
  /** The memory, in MiB. */
  readonly memory: number
  /** The addresses by which it is reached inside the cluster. */
  readonly addresses: readonly string[]
}

/** The parts of a cluster: only those that were asked for, and of these only what can be read. */
export interface Inventory {
  readonly nodes?: readonly SeenNode[]
  /** E.g. `v1.36.3`. */
  readonly version?: string
  readonly storageClasses?: readonly SeenStorageClass[]
  /** The domain of cluster services, e.g. `cluster.local`. */
  readonly dnsDomain?: string
}

export type InventoryPart = keyof Inventory

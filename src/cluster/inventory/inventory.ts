import type {SeenStorageClass} from '../diagnosis/diagnosis.ts'

/** A node, as far as it tells what the cloud can do. */
export interface SeenNode {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Whole CPUs. */
  readonly cpus: number
  /** In MiB. */
  readonly memory: number
  /** By which it is reached inside the cluster. */
  readonly addresses: readonly string[]
}

/** What a cluster is made of; only the parts that were asked for, and of these only what can be known. */
export interface Inventory {
  readonly nodes?: readonly SeenNode[]
  /** E.g. `v1.36.3`. */
  readonly version?: string
  readonly storageClasses?: readonly SeenStorageClass[]
  /** Of cluster services, e.g. `cluster.local`. */
  readonly dnsDomain?: string
}

export type InventoryPart = keyof Inventory

import type {ConfigMap, Node} from 'kubernetes-types/core/v1.js'
import type {StorageClass} from 'kubernetes-types/storage/v1.js'
import {readYaml} from '../../yaml/yaml.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {CONFIG_MAPS, NODES, type Resource, readObject, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import type {SeenStorageClass} from '../diagnosis/diagnosis.ts'
import {mebibytes, wholeCpus} from './quantity.ts'

/** A node, with the fields that determine the size of the cloud. */
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

/** The requested parts of a cluster, as far as they can be read. */
export interface Inventory {
  readonly nodes?: readonly SeenNode[]
  /** E.g. `v1.36.3`. */
  readonly version?: string
  readonly storageClasses?: readonly SeenStorageClass[]
  /** The domain of cluster services, e.g. `cluster.local`. */
  readonly dnsDomain?: string
}

export type InventoryPart = keyof Inventory

/** The nodes, storage classes and addresses of a cluster. Every function throws like those of `Cluster`. */
export interface InventoryReader {
  /** Returns a part of the cluster's inventory; empty if it cannot be read. */
  read(part: InventoryPart): Promise<Inventory>
}

export function openInventory(client: ApiClient): InventoryReader {
  return {read: (part) => readInventory(client, part)}
}

/** Returns one part of the inventory, with one request; the DNS domain may take two. */
async function readInventory(client: ApiClient, part: InventoryPart): Promise<Inventory> {
  if (part === 'nodes') return {nodes: await listNodes(client)}
  if (part === 'storageClasses') return {storageClasses: await listStorageClasses(client)}
  if (part === 'version') return {version: await readVersion(client)}
  const dnsDomain = await readDomain(client)
  return dnsDomain === undefined ? {} : {dnsDomain}
}

async function listNodes(client: ApiClient): Promise<readonly SeenNode[]> {
  const {items} = await listAll<Served<Node>>(client, {
    path: resourcePath(NODES, ''),
    summary: requestText('list', NODES, ''),
  })
  return items.map(({metadata: {name, labels = {}}, status}) => ({
    name,
    labels,
    cpus: wholeCpus(status?.capacity?.cpu ?? '0'),
    memory: mebibytes(status?.capacity?.memory ?? '0'),
    addresses: (status?.addresses ?? [])
      .filter(({type}) => type === 'InternalIP')
      .map(({address}) => address),
  }))
}

async function readVersion(client: ApiClient): Promise<string> {
  return (await client.json<{gitVersion: string}>({path: '/version', summary: 'report its version'}))
    .gitVersion
}

/**
 * Returns the DNS domain of kubeadm's kubelet configuration, else of CoreDNS's Corefile; undefined if neither
 * can be read.
 */
async function readDomain(client: ApiClient): Promise<string | undefined> {
  const kubelet = await readKey(client, 'kubelet-config', 'kubelet')
  const {clusterDomain} = (kubelet === undefined ? {} : (readLeniently(kubelet) ?? {})) as {
    clusterDomain?: unknown
  }
  if (typeof clusterDomain === 'string' && clusterDomain !== '') return clusterDomain
  const corefile = await readKey(client, 'coredns', 'Corefile')
  return /^\s*kubernetes\s+([a-z0-9][-a-z0-9.]*)/m.exec(corefile ?? '')?.[1]
}

function readLeniently(text: string): unknown {
  try {
    return readYaml(text)
  } catch {
    return undefined
  }
}

async function readKey(client: ApiClient, name: string, key: string): Promise<string | undefined> {
  try {
    const object = await readObject<Served<ConfigMap>>(client, CONFIG_MAPS, {
      namespace: 'kube-system',
      name,
    })
    return object?.data?.[key]
  } catch (error) {
    if (isApiError(error, 403)) return undefined
    throw error
  }
}

const STORAGE_CLASSES: Resource = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
}
const DEFAULT = 'storageclass.kubernetes.io/is-default-class'

/**
 * Returns the storage classes, newest first: of several default classes Kubernetes uses the newest (1.26:
 * retroactive default storage class).
 */
export async function listStorageClasses(client: ApiClient): Promise<readonly SeenStorageClass[]> {
  const {items} = await listAll<Served<StorageClass>>(client, {
    path: resourcePath(STORAGE_CLASSES, ''),
    summary: requestText('list', STORAGE_CLASSES, ''),
  })
  return items
    .toSorted((a, b) => {
      const [one, other] = [a, b].map(({metadata}) => metadata.creationTimestamp ?? '')
      return one === other ? (a.metadata.name < b.metadata.name ? -1 : 1) : one! > other! ? -1 : 1
    })
    .map(({metadata: {name, annotations}}) => ({name, isDefault: annotations?.[DEFAULT] === 'true'}))
}

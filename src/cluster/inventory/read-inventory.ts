import {readYaml} from '../../helm/yaml.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, CONFIG_MAPS, NODES, readObject, resourcePath} from '../api/resources.ts'
import {listStorageClasses} from '../diagnosis/storage-classes.ts'
import type {Inventory, InventoryPart, SeenNode} from './inventory.ts'
import {mebibytes, wholeCpus} from './quantity.ts'

/** Returns one part of the inventory, with one request; the DNS domain may take two. */
export async function readInventory(client: ApiClient, part: InventoryPart): Promise<Inventory> {
  if (part === 'nodes') return {nodes: await listNodes(client)}
  if (part === 'storageClasses') return {storageClasses: await listStorageClasses(client)}
  if (part === 'version') return {version: await readVersion(client)}
  const dnsDomain = await readDomain(client)
  return dnsDomain === undefined ? {} : {dnsDomain}
}

interface Node {
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly status?: {
    readonly capacity?: {readonly cpu?: string; readonly memory?: string}
    readonly addresses?: readonly {readonly type: string; readonly address: string}[]
  }
}

async function listNodes(client: ApiClient): Promise<readonly SeenNode[]> {
  const {items} = await listAll<Node>(client, {
    path: resourcePath(NODES, ''),
    asked: asking('list', NODES, ''),
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
  return (await client.json<{gitVersion: string}>({path: '/version', asked: 'tell its version'})).gitVersion
}

/**
 * Returns the DNS domain that kubeadm configures for kubelets, else the one that CoreDNS answers for; undefined if
 * neither can be read.
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
    const object = await readObject<{data?: Readonly<Record<string, string>>}>(client, CONFIG_MAPS, {
      namespace: 'kube-system',
      name,
    })
    return object?.data?.[key]
  } catch (error) {
    if (isApiError(error, 403)) return undefined
    throw error
  }
}

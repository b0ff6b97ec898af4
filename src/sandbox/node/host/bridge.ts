import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {pollUntil} from '../../../base/poll.ts'
import {BRIDGE, GATEWAY, NODE_NETWORKS, PODS} from '../network.ts'
import {command} from './command.ts'

const INTERFACES = '/sys/class/net'
const DETACH_TIMEOUT_MS = 10_000

/** Creates the bridge, on whose address components listen; its alias is the directory of its node. */
export async function makeBridge(nodeDirectory: string): Promise<void> {
  await addBridge(BRIDGE, `${GATEWAY}/${prefix(PODS)}`)
  await command(['ip', 'link', 'set', BRIDGE, 'alias', nodeDirectory])
}

/**
 * Creates the bridges between nodes with namespaces of their own, each with the first address of its network.
 */
export async function makeNodeBridges(): Promise<void> {
  for (const {bridge, network} of NODE_NETWORKS)
    await addBridge(bridge, `${addressIn(network, 1)}/${prefix(network)}`)
}

/** Returns an address of a network of the kind `A.B.C.0/24` by its last number. */
export function addressIn(network: string, last: number): string {
  return network.replace(/0\/.*/, String(last))
}

export function prefix(network: string): string {
  return network.split('/')[1]!
}

async function addBridge(name: string, address: string): Promise<void> {
  await command(['ip', 'link', 'add', 'name', name, 'type', 'bridge'])
  await command(['ip', 'address', 'add', address, 'dev', name])
  await command(['ip', 'link', 'set', name, 'up'])
}

/** Returns the directory of the node that created the bridge; undefined if there is no bridge. */
export async function bridgeOwner(): Promise<string | undefined> {
  const alias = await readFile(join(INTERFACES, BRIDGE, 'ifalias'), 'utf8').catch(() => undefined)
  return alias?.trim()
}

/** Removes the bridges. Their ports vanish shortly after the last process of their pods. */
export async function removeBridges(): Promise<void> {
  // The one with the owner last.
  for (const bridge of [...NODE_NETWORKS.map(({bridge}) => bridge), BRIDGE]) {
    const isBare = async () => (await bridgePorts(bridge)).length === 0
    await pollUntil(isBare, {interval: 20, deadline: Date.now() + DETACH_TIMEOUT_MS})
    for (const port of await bridgePorts(bridge)) await command(['ip', 'link', 'delete', port])
    if (existsSync(join(INTERFACES, bridge))) await command(['ip', 'link', 'delete', bridge])
  }
}

async function bridgePorts(bridge: string): Promise<string[]> {
  return readdir(join(INTERFACES, bridge, 'brif')).catch(() => [])
}

/** Returns the names of all network interfaces of the machine. */
export async function interfaceNames(): Promise<string[]> {
  return readdir(INTERFACES)
}

/**
 * Removes taps that were created after the node: userspace Open vSwitch creates one per bridge, and they
 * outlive it. A tap with a carrier belongs to a running program, and stays.
 */
export async function removeTaps(before: readonly string[]): Promise<void> {
  for (const name of (await interfaceNames()).filter((each) => !before.includes(each))) {
    const value = (file: string) => readFile(join(INTERFACES, name, file), 'utf8').catch(() => undefined)
    if ((await value('tun_flags')) !== undefined && (await value('carrier'))?.trim() !== '1')
      await command(['ip', 'link', 'delete', name])
  }
}

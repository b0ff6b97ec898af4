import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {pollUntil} from '../../../base/poll.ts'
import {BRIDGE, GATEWAY, PODS} from '../network.ts'
import {command} from './command.ts'

const INTERFACES = '/sys/class/net'
const DETACH_TIMEOUT_MS = 10_000

/** Creates the bridge, on whose address components listen; its alias is the directory of its node. */
export async function makeBridge(nodeDirectory: string): Promise<void> {
  await command(['ip', 'link', 'add', 'name', BRIDGE, 'type', 'bridge'])
  await command(['ip', 'link', 'set', BRIDGE, 'alias', nodeDirectory])
  await command(['ip', 'address', 'add', `${GATEWAY}/${PODS.split('/')[1]}`, 'dev', BRIDGE])
  await command(['ip', 'link', 'set', BRIDGE, 'up'])
}

/** Returns the directory of the node that created the bridge; undefined if there is no bridge. */
export async function bridgeOwner(): Promise<string | undefined> {
  const alias = await readFile(join(INTERFACES, BRIDGE, 'ifalias'), 'utf8').catch(() => undefined)
  return alias?.trim()
}

/** Removes the bridge. Its ports vanish shortly after the last process of their pods. */
export async function removeBridge(): Promise<void> {
  const isBare = async () => (await bridgePorts()).length === 0
  await pollUntil(isBare, {interval: 20, deadline: Date.now() + DETACH_TIMEOUT_MS})
  for (const port of await bridgePorts()) await command(['ip', 'link', 'delete', port])
  if ((await bridgeOwner()) !== undefined) await command(['ip', 'link', 'delete', BRIDGE])
}

async function bridgePorts(): Promise<string[]> {
  return readdir(join(INTERFACES, BRIDGE, 'brif')).catch(() => [])
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

import {readFile, rmdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {exists} from '../../../state/files/exists.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {writeAtomically} from '../../../state/files/write-atomically.ts'
import type {NodePaths} from '../paths.ts'
import {
  bridgeOwner,
  interfaceNames,
  makeBridge,
  makeNodeBridges,
  removeBridges,
  removeTaps,
} from './bridge.ts'
import {makeCgroup, removeCgroup} from './cgroups.ts'
import {addRules, type Chain, nodeChains, removeRules} from './iptables.ts'
import {REPLACED, replacement} from './namespace.ts'

/** The state of the machine before the node. */
interface Before {
  readonly settings: Settings
  readonly chains: {readonly iptables: readonly Chain[]; readonly ip6tables: readonly Chain[]}
  /** The mount point directories that had to be created. */
  readonly missing: readonly string[]
  /**
   * The network interfaces; undefined in a record of an earlier version of kk: then no interface is removed.
   */
  readonly interfaces?: readonly string[]
}

/** The state to restore without a record: settings stay, and only kk's own chains are removed. */
const UNKNOWN: Before = {settings: {}, chains: {iptables: [], ip6tables: []}, missing: []}

/** Prepares the machine for this number of nodes, and records its previous state first. */
export async function prepareMachine(paths: NodePaths, nodes: number): Promise<void> {
  const before: Before = {
    settings: await readSettings(),
    chains: {iptables: await nodeChains('iptables'), ip6tables: await nodeChains('ip6tables')},
    missing: await missingDirectories(REPLACED),
    interfaces: await interfaceNames(),
  }
  await writeAtomically(paths.before, JSON.stringify(before, undefined, 2))
  for (const directory of REPLACED) {
    await makeDirectory(directory)
    await makeDirectory(replacement(paths, directory))
  }
  await writeNeededSettings()
  await makeCgroup()
  await makeBridge(paths.home)
  if (nodes > 1) await makeNodeBridges()
  await addRules()
}

/**
 * Kills the processes of pods and restores the machine. Returns whether there was anything to restore. Does
 * not touch a node of another state directory; the alias of the bridge identifies the owner.
 */
export async function restoreMachine(paths: NodePaths): Promise<boolean> {
  const owner = await bridgeOwner()
  const text = await readFile(paths.before, 'utf8').catch(() => undefined)
  if (owner === undefined ? text === undefined : owner !== paths.home) return false

  const before = text === undefined ? UNKNOWN : (JSON.parse(text) as Before)
  await removeCgroup()
  await removeBridges()
  if (before.interfaces) await removeTaps(before.interfaces)
  await removeRules(before.chains)
  await writeSettings(before.settings)
  for (const directory of before.missing) await rmdir(directory).catch(() => {})
  return true
}

async function missingDirectories(directories: readonly string[]): Promise<string[]> {
  const existing = await Promise.all(directories.map(exists))
  return directories.filter((_, index) => !existing[index])
}

/** The kernel settings that the node needs, and the settings that its kubelet changes. */
const NEEDED = {'net.ipv4.ip_forward': '1', 'net.bridge.bridge-nf-call-iptables': '1'} as const

const SET_BY_KUBELET = [
  'vm.overcommit_memory',
  'vm.panic_on_oom',
  'kernel.panic',
  'kernel.panic_on_oops',
  'kernel.keys.root_maxkeys',
  'kernel.keys.root_maxbytes',
] as const

type Settings = Readonly<Record<string, string>>

/** Returns the current value of every setting that a node changes. */
async function readSettings(): Promise<Settings> {
  const names = [...Object.keys(NEEDED), ...SET_BY_KUBELET]
  const values = await Promise.all(
    names.map(async (name) => [name, (await readFile(file(name), 'utf8').catch(() => '')).trim()] as const),
  )
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

async function writeNeededSettings(): Promise<void> {
  await writeSettings(NEEDED)
}

/** Writes the settings that differ. */
async function writeSettings(settings: Settings): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    if ((await readFile(file(name), 'utf8').catch(() => value)).trim() !== value)
      await writeFile(file(name), value)
  }
}

function file(name: string): string {
  return join('/proc/sys', name.replaceAll('.', '/'))
}

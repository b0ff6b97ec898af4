import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'

/** Kernel settings that the node needs, and those that its kubelet sets. */
const NEEDED = {'net.ipv4.ip_forward': '1', 'net.bridge.bridge-nf-call-iptables': '1'} as const

const SET_BY_KUBELET = [
  'vm.overcommit_memory',
  'vm.panic_on_oom',
  'kernel.panic',
  'kernel.panic_on_oops',
  'kernel.keys.root_maxkeys',
  'kernel.keys.root_maxbytes',
] as const

export type Settings = Readonly<Record<string, string>>

/** What stands now in every setting that a node changes. */
export async function readSettings(): Promise<Settings> {
  const names = [...Object.keys(NEEDED), ...SET_BY_KUBELET]
  const values = await Promise.all(
    names.map(async (name) => [name, (await readFile(file(name), 'utf8').catch(() => '')).trim()] as const),
  )
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

export async function writeNeededSettings(): Promise<void> {
  await writeSettings(NEEDED)
}

/** Writes what differs. */
export async function writeSettings(settings: Settings): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    if ((await readFile(file(name), 'utf8').catch(() => value)).trim() !== value)
      await writeFile(file(name), value)
  }
}

function file(name: string): string {
  return join('/proc/sys', name.replaceAll('.', '/'))
}

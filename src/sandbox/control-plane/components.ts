import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {SandboxPaths} from '../paths.ts'
import {isOurs} from './processes.ts'

/** kwokctl's names. */
export const COMPONENTS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok-controller',
] as const

interface RunningComponents {
  /** Process id of each component that runs. */
  readonly components: Readonly<Record<string, number>>
  readonly missing: readonly string[]
}

/** Which components run, by the process ids that kwokctl wrote; an id that was given to another process does not count. */
export async function runningComponents(paths: SandboxPaths): Promise<RunningComponents> {
  const entries = await Promise.all(
    COMPONENTS.map(async (name) => [name, await runningPid(paths, name)] as const),
  )
  return {
    components: Object.fromEntries(entries.filter(([, pid]) => pid !== undefined)) as Record<string, number>,
    missing: entries.filter(([, pid]) => pid === undefined).map(([name]) => name),
  }
}

async function runningPid(paths: SandboxPaths, component: string): Promise<number | undefined> {
  const text = await readFile(join(paths.cluster, 'pids', `${component}.pid`), 'utf8').catch(() => undefined)
  const pid = Number(text)
  return text && (await isOurs(pid, paths.home)) ? pid : undefined
}

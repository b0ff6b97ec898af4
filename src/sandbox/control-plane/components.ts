import {readFile} from 'node:fs/promises'
import type {SandboxPaths} from '../paths.ts'
import {isOurs} from './processes.ts'

interface RunningComponents {
  /** The process ids of running components, by name. */
  readonly components: Readonly<Record<string, number>>
  readonly missing: readonly string[]
}

/**
 * Returns the running components by recorded process id; ids that another process has reused do not count.
 */
export async function runningComponents(
  paths: SandboxPaths,
  files = paths.components,
): Promise<RunningComponents> {
  const entries = await Promise.all(
    Object.entries(files).map(async ([name, file]) => [name, await runningPid(paths, file)] as const),
  )
  return {
    components: Object.fromEntries(entries.filter(([, pid]) => pid !== undefined)) as Record<string, number>,
    missing: entries.filter(([, pid]) => pid === undefined).map(([name]) => name),
  }
}

async function runningPid(paths: SandboxPaths, file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const pid = Number(text)
  return text && (await isOurs(pid, paths.home)) ? pid : undefined
}

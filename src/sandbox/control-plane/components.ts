import {readFile} from 'node:fs/promises'
import {OWN_PARTS, type SandboxPaths} from '../paths.ts'
import {NODE_NAME, type Sandbox} from '../sandbox.ts'
import {isOurs} from './processes.ts'

interface RunningComponents {
  /** The process ids of running components, by name. */
  readonly components: Readonly<Record<string, number>>
  readonly missing: readonly string[]
}

/**
 * Returns the files of the components that a sandbox must have: several real nodes may be stopped one by one.
 */
export function requiredComponents(
  paths: SandboxPaths,
  {name, nodes}: Pick<Sandbox, 'name' | 'nodes'>,
): Readonly<Record<string, string>> {
  if (name !== NODE_NAME || nodes === 1) return paths.components
  const isOwn = (part: string) => (OWN_PARTS as readonly string[]).includes(part)
  return Object.fromEntries(Object.entries(paths.components).filter(([part]) => !isOwn(part)))
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

import {rm} from 'node:fs/promises'
import {exists} from '../state/files/exists.ts'
import {withLock} from '../state/lock.ts'
import {killProcesses} from './control-plane/processes.ts'
import {type SandboxPaths, sandboxPaths} from './paths.ts'
import {markUnfinished} from './record.ts'
import {requireSimulated} from './require-simulated.ts'

/**
 * Kills the processes and removes the files of a sandbox, complete or not. Returns whether there was
 * anything.
 */
export async function removeSandbox(paths: SandboxPaths): Promise<boolean> {
  const existed = await exists(paths.home)
  // The marker is written first, so that a partly removed sandbox does not count as running.
  if (existed) await markUnfinished(paths)
  const killed = await killProcesses(paths.home)
  // The directory with the marker is removed after the data.
  for (const directory of [paths.cluster, paths.home])
    await rm(directory, {recursive: true, force: true, maxRetries: 3})
  return existed || killed > 0
}

interface DownOptions {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  readonly onProgress?: (line: string) => void
}

/** Kills every process of the sandbox and removes its files. Returns `absent` if nothing of it exists. */
export async function down({name, env, onProgress}: DownOptions): Promise<'removed' | 'absent'> {
  requireSimulated(name)
  const paths = sandboxPaths(name, env)
  const removed = await withLock(paths.lock, () => removeSandbox(paths), {
    onWait: ({pid}) => onProgress?.(`process ${pid} is starting or stopping ${name}; waiting`),
  })
  return removed ? 'removed' : 'absent'
}

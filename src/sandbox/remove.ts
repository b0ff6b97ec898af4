import {access, rm} from 'node:fs/promises'
import {killProcesses} from './control-plane/processes.ts'
import type {SandboxPaths} from './paths.ts'
import {markUnfinished} from './record.ts'

/** Ends the processes and removes the files of a sandbox, whole or half started; whether there was anything. */
export async function removeSandbox(paths: SandboxPaths): Promise<boolean> {
  const existed = await access(paths.home).then(
    () => true,
    () => false,
  )
  // First: half removed, it is nothing that was up.
  if (existed) await markUnfinished(paths)
  const killed = await killProcesses(paths.home)
  // The mark goes after what it stands for.
  for (const directory of [paths.cluster, paths.home])
    await rm(directory, {recursive: true, force: true, maxRetries: 3})
  return existed || killed > 0
}

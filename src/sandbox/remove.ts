import {access, rm} from 'node:fs/promises'
import {killProcesses} from './control-plane/processes.ts'
import type {SandboxPaths} from './paths.ts'

/** Ends the processes and removes the files of a sandbox, whole or half started; whether there was anything. */
export async function removeSandbox(paths: SandboxPaths): Promise<boolean> {
  // First: half removed, it is nothing that was up.
  await rm(paths.record, {force: true})
  const killed = await killProcesses(paths.home)
  const existed = await access(paths.home).then(
    () => true,
    () => false,
  )
  await rm(paths.home, {recursive: true, force: true, maxRetries: 3})
  return existed || killed > 0
}

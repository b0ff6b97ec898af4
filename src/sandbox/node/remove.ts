import {killProcesses} from '../control-plane/processes.ts'
import {removeSandbox} from '../remove.ts'
import {restoreMachine} from './host/machine.ts'
import type {NodePaths} from './paths.ts'

/** Ends the node, whole or half started, and puts the machine back as it stood; whether there was anything. */
export async function removeNode(paths: NodePaths): Promise<boolean> {
  // First what would start containers anew; its mount namespace, with all mounts, goes with the last of them.
  await killProcesses(paths.home)
  const restored = await restoreMachine(paths)
  return (await removeSandbox(paths)) || restored
}

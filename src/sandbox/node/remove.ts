import {killProcesses} from '../control-plane/processes.ts'
import {removeSandbox} from '../remove.ts'
import {restoreMachine} from './host/machine.ts'
import {withNodeLock} from './lock.ts'
import {type NodePaths, nodePaths} from './paths.ts'
import {requireRoot} from './require-root.ts'

/** Stops the node, complete or half started, and restores the machine. Returns whether there was anything. */
export async function removeNode(paths: NodePaths): Promise<boolean> {
  // First kills the processes that would restart containers. The node's mount namespace, with all its mounts,
  // ends with its last process.
  await killProcesses(paths.home)
  const restored = await restoreMachine(paths)
  return (await removeSandbox(paths)) || restored
}

interface DownOptions {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
}

/** Stops the all-in-one node with all its pods, and restores the machine. */
export async function down({env, onProgress}: DownOptions): Promise<'removed' | 'absent'> {
  requireRoot()
  const paths = nodePaths(env)
  const removed = await withNodeLock(paths, {onProgress}, () => removeNode(paths))
  return removed ? 'removed' : 'absent'
}

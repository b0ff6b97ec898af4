import {withLock} from '../../state/lock.ts'
import {killProcesses} from '../control-plane/processes.ts'
import {removeSandbox} from '../remove.ts'
import {restoreMachine} from './host/machine.ts'
import {type NodePaths, nodePaths} from './paths.ts'
import {requireRoot} from './require-root.ts'

/** Ends the node, whole or half started, and puts the machine back as it stood; whether there was anything. */
export async function removeNode(paths: NodePaths): Promise<boolean> {
  // First what would start containers anew; its mount namespace, with all mounts, goes with the last of them.
  await killProcesses(paths.home)
  const restored = await restoreMachine(paths)
  return (await removeSandbox(paths)) || restored
}

interface DownOptions {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
}

/** Ends the all-in-one node with all its pods, and puts the machine back as it stood. */
export async function down({env, onProgress}: DownOptions): Promise<'removed' | 'absent'> {
  requireRoot()
  const paths = nodePaths(env)
  const removed = await withLock(paths.lock, () => removeNode(paths), {
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping the node; waiting`),
  })
  return removed ? 'removed' : 'absent'
}

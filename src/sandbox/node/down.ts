import {withLock} from '../../state/lock.ts'
import {nodePaths} from './paths.ts'
import {removeNode} from './remove.ts'
import {requireRoot} from './require-root.ts'

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

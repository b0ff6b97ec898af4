import {withLock} from '../state/lock.ts'
import {sandboxPaths} from './paths.ts'
import {removeSandbox} from './remove.ts'
import {requireSimulated} from './require-simulated.ts'

interface DownOptions {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  readonly onProgress?: (line: string) => void
}

/** Ends every process of the sandbox and removes its files. `absent` when there was nothing of it. */
export async function down({name, env, onProgress}: DownOptions): Promise<'removed' | 'absent'> {
  requireSimulated(name)
  const paths = sandboxPaths(name, env)
  const removed = await withLock(paths.lock, () => removeSandbox(paths), {
    onWait: ({pid}) => onProgress?.(`process ${pid} is starting or stopping ${name}; waiting`),
  })
  return removed ? 'removed' : 'absent'
}

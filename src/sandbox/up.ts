import {withLock} from '../state/lock.ts'
import {startControlPlane} from './control-plane/start.ts'
import {sandboxPaths} from './paths.ts'
import {removeSandbox} from './remove.ts'
import {requireSimulated} from './require-simulated.ts'
import {runningSandbox} from './running.ts'
import type {Sandbox} from './sandbox.ts'
import {findTools} from './tools.ts'

export interface UpOptions {
  readonly name: string
  /** How many nodes a new sandbox gets. */
  readonly nodes: number
  readonly env: NodeJS.ProcessEnv
  /** One short line per step. */
  readonly onProgress?: (line: string) => void
  /** Stops a start; what was started is removed before the promise rejects. */
  readonly signal?: AbortSignal
}

export interface UpResult {
  readonly outcome: 'started' | 'already-running'
  readonly sandbox: Sandbox
}

/**
 * Starts the sandbox of this name unless it runs. What a killed `up`, a crash or a reboot left of it is removed first.
 * Throws `KK_TOOLBOX` when binaries are missing, `KK_SANDBOX` with the last lines of the logs when it does not start.
 */
export async function up(options: UpOptions): Promise<UpResult> {
  const {name, nodes, env, signal, onProgress = () => {}} = options
  requireSimulated(name)
  const paths = sandboxPaths(name, env)
  const start = async (): Promise<UpResult> => {
    const running = await runningSandbox(paths)
    if (running) return {outcome: 'already-running', sandbox: running}
    const tools = findTools(env)
    if (await removeSandbox(paths)) onProgress('removed what an earlier start had left')
    try {
      return {
        outcome: 'started',
        sandbox: await startControlPlane({paths, tools, nodes, env, onProgress, signal}),
      }
    } catch (error) {
      await removeSandbox(paths)
      throw error
    }
  }
  return withLock(paths.lock, start, {
    signal,
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping ${name}; waiting`),
  })
}

/** The sandbox of this name, started if need be: for `--sandbox` on a command that deploys. */
export async function ensureSandbox(options: UpOptions): Promise<Sandbox> {
  return (await up(options)).sandbox
}

import {KkError} from '../../errors.ts'
import {withLock} from '../../state/lock.ts'
import {findSandbox, lostSandbox, refuseBroken} from '../running.ts'
import {examineMachine} from './doctor/examine.ts'
import type {Node} from './node.ts'
import {nodePaths} from './paths.ts'
import {removeNode} from './remove.ts'
import {requireRoot} from './require-root.ts'
import {startNode} from './start.ts'
import {nodeTools} from './tools.ts'

interface UpOptions {
  readonly env: NodeJS.ProcessEnv
  /** One short line per step. */
  readonly onProgress: (line: string) => void
  /** Stops a start; what was started is removed before the promise rejects. */
  readonly signal?: AbortSignal
}

export interface UpResult {
  readonly outcome: 'started' | 'already-running'
  readonly node: Node
}

/**
 * Starts the all-in-one node unless it runs. What a killed `up` left of one that never came up is removed first. Throws
 * `KK_AIO` with all that the machine lacks before anything is changed, or with the last lines of the part that does not
 * start; `KK_SANDBOX_BROKEN` when it was up and has ended, by a reboot, say: its volumes are not removed unasked.
 */
export async function up({env, onProgress, signal}: UpOptions): Promise<UpResult> {
  const paths = nodePaths(env)
  const start = async (): Promise<UpResult> => {
    const found = await findSandbox(paths)
    if (found.state === 'running') return {outcome: 'already-running', node: found.sandbox as Node}
    if (found.state === 'lost') throw lostSandbox('KK_SANDBOX_BROKEN', paths.name, found.why)
    if (found.state === 'broken') throw refuseBroken(paths.name, found.missing)
    requireRoot()
    if (await removeNode(paths)) onProgress('removed what an earlier start had left')
    await requireMachine(env)
    const tools = nodeTools(env)
    try {
      return {outcome: 'started', node: await startNode({paths, tools, env, onProgress, signal})}
    } catch (error) {
      await removeNode(paths)
      throw error
    }
  }
  return withLock(paths.lock, start, {
    ...(signal && {signal}),
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping the node; waiting`),
  })
}

async function requireMachine(env: NodeJS.ProcessEnv): Promise<void> {
  const problems = (await examineMachine(env)).filter(({level}) => level === 'problem')
  if (problems.length === 0) return
  throw new KkError(
    'KK_AIO',
    `this machine lacks what the node needs: ${problems.map(({check}) => check).join(', ')}`,
    {
      log: problems.flatMap(({check, what, advice}) => [
        `${check}: ${what}`,
        ...(advice ? [`  → ${advice}`] : []),
      ]),
      hint: 'mend them one by one; "kk aio doctor" shows every check',
    },
  )
}

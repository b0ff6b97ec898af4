import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {signalProcess} from '../../state/processes/signal-process.ts'
import {isStartedWith, processesStartedWith} from '../../state/processes/started-with.ts'

/**
 * The environment variable that marks every process of a sandbox; its value is the sandbox's directory. All
 * processes inherit it, so that those of one sandbox are identified even if a start was killed: a process is
 * marked from its start.
 */
const MARK = 'KK_SANDBOX_HOME'

const EXIT_TIMEOUT_MS = 10_000

/** Returns the environment variables that identify a process of the sandbox. */
export function processMark(sandboxDirectory: string): Readonly<Record<string, string>> {
  return {[MARK]: sandboxDirectory}
}

/**
 * Kills every process of the sandbox and returns their number. Rejects with `KK_SANDBOX` after ten seconds.
 */
export async function killProcesses(sandboxDirectory: string): Promise<number> {
  const killed = new Set<number>()
  const areGone = async () => {
    const pids = await processesStartedWith(MARK, sandboxDirectory)
    for (const pid of pids) {
      signalProcess(pid, 'SIGKILL')
      killed.add(pid)
    }
    return pids.length === 0
  }
  if (await pollUntil(areGone, {interval: 10, deadline: Date.now() + EXIT_TIMEOUT_MS})) return killed.size
  const remaining = await processesStartedWith(MARK, sandboxDirectory)
  throw new KkError('KK_SANDBOX', `processes of the sandbox do not exit: ${remaining.join(', ')}`, {
    hint: 'inspect them with ps, then run "kk sandbox down" again',
  })
}

/** Returns true for a running process that belongs to the sandbox. */
export async function isOurs(pid: number, sandboxDirectory: string): Promise<boolean> {
  return isStartedWith(pid, MARK, sandboxDirectory)
}

import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {signalProcess} from '../../state/processes/signal-process.ts'
import {isStartedWith, processesStartedWith} from '../../state/processes/started-with.ts'

/**
 * The environment variable that marks every process of a sandbox; its value is the sandbox's directory. All processes
 * inherit it, so that those of one sandbox are found, and told from all others, wherever its start was killed: no
 * moment lies between a start and its mark.
 */
const MARK = 'KK_SANDBOX_HOME'

const GONE_WITHIN_MILLISECONDS = 10_000

/** Returns the environment by which a process of the sandbox is found again. */
export function processMark(home: string): Readonly<Record<string, string>> {
  return {[MARK]: home}
}

/** Ends every process of the sandbox and returns how many there were. Rejects with `KK_SANDBOX` after ten seconds. */
export async function killProcesses(home: string): Promise<number> {
  const killed = new Set<number>()
  const areGone = async () => {
    const pids = await processesStartedWith(MARK, home)
    for (const pid of pids) {
      signalProcess(pid, 'SIGKILL')
      killed.add(pid)
    }
    return pids.length === 0
  }
  if (await pollUntil(areGone, {interval: 10, deadline: Date.now() + GONE_WITHIN_MILLISECONDS}))
    return killed.size
  const left = await processesStartedWith(MARK, home)
  throw new KkError('KK_SANDBOX', `processes of the sandbox do not end: ${left.join(', ')}`, {
    hint: 'look at them with ps, then run "kk sandbox down" again',
  })
}

/** Returns true for a process that belongs to the sandbox and has not ended. */
export async function isOurs(pid: number, home: string): Promise<boolean> {
  return isStartedWith(pid, MARK, home)
}

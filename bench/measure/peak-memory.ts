import {readFile} from 'node:fs/promises'
import {setTimeout as wait} from 'node:timers/promises'
import {execa} from 'execa'
import {type Contender, QUIET} from './race.ts'

const PAUSE_MILLISECONDS = 5

/**
 * The peak resident memory of the process itself, in bytes: `VmHWM` of proc(5), which the kernel keeps and
 * which is polled until the process has ended. Its children, above all helm, do not count. Rejects if it
 * fails.
 */
export async function peakMemory({command, env}: Contender, signal: AbortSignal): Promise<number> {
  const [file, ...args] = command
  const child = execa(file, args, {...QUIET, cancelSignal: signal, ...(env && {env})})
  let peak = 0
  let hasEnded = false
  const end = child.finally(() => {
    hasEnded = true
  })
  end.catch(() => undefined)
  while (!hasEnded) {
    peak = Math.max(peak, await highWaterMark(child.pid))
    await wait(PAUSE_MILLISECONDS)
  }
  await end
  return peak
}

/** The peak resident memory of a process so far, in bytes; 0 after it has ended. */
export async function highWaterMark(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

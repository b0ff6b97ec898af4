import {fileURLToPath} from 'node:url'
import {execa} from 'execa'

/** What a measured program prints, as JSON, at its end. */
interface OwnProcess {
  /**
   * Processor time, including garbage collection and compilation, independent of other load on the machine.
   */
  readonly milliseconds: number
  /** The peak of resident memory. */
  readonly peakBytes: number
}

/**
 * Runs a program of `bench/` that measures itself: in a separate process, nothing is compiled or cached
 * before.
 */
export async function inOwnProcess(file: URL, args: readonly string[], signal: AbortSignal) {
  const {stdout} = await execa(process.execPath, [fileURLToPath(file), ...args], {cancelSignal: signal})
  return JSON.parse(stdout) as OwnProcess
}

/** In such a program: does the work once and prints its cost. */
export async function printMeasured(work: () => unknown): Promise<void> {
  const start = process.cpuUsage()
  await work()
  const {user, system} = process.cpuUsage(start)
  const milliseconds = (user + system) / 1000
  const peakBytes = process.resourceUsage().maxRSS * 1024
  console.log(JSON.stringify({milliseconds, peakBytes} satisfies OwnProcess))
}

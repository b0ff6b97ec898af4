import {fileURLToPath} from 'node:url'
import {execa} from 'execa'

/** What a measured program has printed, as JSON, at its end. */
interface OwnProcess {
  /** Of processor time, garbage collection and compilation included: what else the machine does is not in it. */
  readonly milliseconds: number
  /** The most memory that was ever resident. */
  readonly peakBytes: number
}

/** Runs a program of `bench/` that measures itself: in a process of its own, nothing has been compiled or kept before. */
export async function inOwnProcess(file: URL, args: readonly string[], signal: AbortSignal) {
  const {stdout} = await execa(process.execPath, [fileURLToPath(file), ...args], {cancelSignal: signal})
  return JSON.parse(stdout) as OwnProcess
}

/** In such a program: does the work once and prints what it took. */
export async function printMeasured(work: () => unknown): Promise<void> {
  const start = process.cpuUsage()
  await work()
  const {user, system} = process.cpuUsage(start)
  const milliseconds = (user + system) / 1000
  const peakBytes = process.resourceUsage().maxRSS * 1024
  console.log(JSON.stringify({milliseconds, peakBytes} satisfies OwnProcess))
}

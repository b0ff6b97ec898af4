import type {Result} from 'execa'
import {KkError} from '../base/errors.ts'

export interface HelmProcess {
  readonly path: string
  readonly arguments: readonly string[]
  /** Standard input. */
  readonly input?: string
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly onStarted?: (pid: number) => void
  /** After that it is ended. */
  readonly timeoutMilliseconds?: number
  /** From SIGTERM to SIGKILL; helm uses it to write the end of the operation to the release record. */
  readonly graceMilliseconds?: number | undefined
}

export interface HelmOutcome {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined
  /** Its name, e.g. `SIGKILL`, when one ended it. */
  readonly endedBy: string | undefined
  readonly stdout: string
  readonly stderr: string
  /** The abort signal came while it ran. */
  readonly terminated: boolean
  /** Its time was up. */
  readonly timedOut: boolean
  /** It did not end by itself within the grace. */
  readonly killed: boolean
}

const GRACE_MILLISECONDS = 30_000
const OUTPUT_LIMIT = 100_000_000

/**
 * Runs helm in its own process group, without a shell, so that Ctrl-C reaches it only when kk says so.
 * Aborting sends SIGTERM to that group, and SIGKILL after the grace. Throws `KK_HELM_MISSING` if it cannot be started.
 */
export async function runHelm(process: HelmProcess): Promise<HelmOutcome> {
  const {execa} = await import('execa')
  const running = execa(process.path, process.arguments, {
    ...(process.input === undefined ? {stdin: 'ignore'} : {input: process.input}),
    env: process.env,
    extendEnv: false,
    ...(process.signal ? {cancelSignal: process.signal} : {}),
    ...(process.timeoutMilliseconds === undefined ? {} : {timeout: process.timeoutMilliseconds}),
    killDescendants: true,
    // If kk ends, a helm at work is better off finishing than killed half way.
    cleanup: false,
    forceKillAfterDelay: process.graceMilliseconds ?? GRACE_MILLISECONDS,
    maxBuffer: OUTPUT_LIMIT,
    reject: false,
  })
  if (running.pid !== undefined) process.onStarted?.(running.pid)
  const result = await running
  if (couldNotStart(result)) {
    throw new KkError('KK_HELM_MISSING', `${process.path} cannot be started (${result.code})`, {
      hint: 'name a working helm with --helm or KK_HELM',
    })
  }
  return {
    exitCode: result.exitCode,
    endedBy: result.signal,
    stdout: String(result.stdout ?? ''),
    stderr: String(result.stderr ?? ''),
    terminated: result.isCanceled,
    timedOut: result.timedOut,
    killed: result.isForcefullyTerminated,
  }
}

function couldNotStart(result: Result): boolean {
  return (
    result.exitCode === undefined && ['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR'].includes(result.code ?? '')
  )
}

import type {Result} from 'execa'
import {KkError} from '../base/errors.ts'

export interface HelmProcess {
  readonly path: string
  readonly arguments: readonly string[]
  /** Standard input. */
  readonly input?: string
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly onStarted?: (pid: number) => void
  /** The process is terminated after this time. */
  readonly timeoutMilliseconds?: number
  /**
   * The time from SIGTERM to SIGKILL, in which helm writes the end of the operation to the release record.
   */
  readonly graceMilliseconds?: number | undefined
}

export interface HelmOutcome {
  /** Undefined if a signal ended helm. */
  readonly exitCode: number | undefined
  /** The name of the signal that ended helm, e.g. `SIGKILL`. */
  readonly endedBy: string | undefined
  readonly stdout: string
  readonly stderr: string
  /** Whether the abort signal fired while it ran. */
  readonly terminated: boolean
  /** Whether the timeout expired. */
  readonly timedOut: boolean
  /** Whether it did not exit within the grace period and was killed. */
  readonly killed: boolean
}

const GRACE_MILLISECONDS = 30_000
const MAX_OUTPUT_CHARACTERS = 100_000_000

/**
 * Runs helm in a separate process group, without a shell, so that Ctrl-C does not reach it directly. Aborting
 * sends SIGTERM to the group, and SIGKILL after the grace period. Throws `KK_HELM_MISSING` if helm cannot be
 * started.
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
    // If kk exits, a running helm should finish rather than be killed half way.
    cleanup: false,
    forceKillAfterDelay: process.graceMilliseconds ?? GRACE_MILLISECONDS,
    maxBuffer: MAX_OUTPUT_CHARACTERS,
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

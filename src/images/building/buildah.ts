import {createWriteStream} from 'node:fs'
import {dirname} from 'node:path'
import {finished} from 'node:stream/promises'
import {KkError} from '../../base/errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import {onPath} from '../../state/files/on-path.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {signalProcess} from '../../state/processes/signal-process.ts'

export interface ProgramRun {
  readonly signal?: AbortSignal | undefined
  /** The file for the program's whole output; each line is also passed to `onLine`. */
  readonly log?: string
  readonly onLine?: (line: string) => void
  /** The working directory, and additions to the environment of this process. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The time for the program to remove its working containers after SIGTERM. */
const TERMINATION_GRACE_MS = 20_000
const MAX_LOG_LINES = 12
/** In characters: buildah's own errors may have thousands. */
const MAX_LINE_LENGTH = 300

/**
 * The error of buildah on a busy machine if the copy of its own binary that it executes is still being
 * written; it exits without side effects (containers/storage: pkg/unshare/unshare.c).
 */
const NOT_STARTED = /sealing memfd copy: Device or resource busy/
const MAX_STARTS = 10

/** Starts buildah, and retries if it exited before doing anything. `stderr` may combine both streams. */
export async function startBuildah<Result extends {readonly failed: boolean; readonly stderr: string}>(
  start: () => PromiseLike<Result>,
): Promise<Result> {
  for (let starts = 1; ; starts++) {
    const result = await start()
    if (!result.failed || starts === MAX_STARTS || !NOT_STARTED.test(result.stderr)) return result
  }
}

/**
 * Runs buildah, or a related program, to completion; resolves with its standard output. Throws `KK_IMAGE`.
 */
export async function runProgram(
  program: 'buildah' | 'mmdebstrap' | 'go' | 'git',
  args: readonly string[],
  run: ProgramRun = {},
): Promise<string> {
  const {log} = run
  if (log !== undefined) await makeDirectory(dirname(log))
  const result = await startBuildah(() => runOnce(program, args, run))
  if (!result.failed) return result.stdout
  const where = log === undefined ? {} : {hint: `its full output is in ${log}`}
  throw new KkError('KK_IMAGE', `${program} ${args[0]} failed`, {
    log: lastLines(result.all),
    cause: result,
    ...where,
  })
}

async function runOnce(program: string, args: readonly string[], run: ProgramRun) {
  const {signal, log, onLine, cwd, env} = run
  signal?.throwIfAborted()
  // Imported here, because commands that only query a registry do not need it.
  const {execa} = await import('execa')
  // In a separate process group, so that processes in its containers receive the signal, too.
  const child = execa(program, args, {
    ...{all: true, detached: true, reject: false, stdin: 'ignore'},
    ...(cwd !== undefined && {cwd}),
    env: {...foreignEnvironment(process.env), ...env},
    extendEnv: false,
  })
  const forgetSignal = signal && endWithSignal(child, signal)
  const reading = onLine && readLines(child, onLine)
  const writing = log !== undefined && finished(child.all.pipe(createWriteStream(log)))
  const [result] = await Promise.all([child, reading, writing]).finally(forgetSignal)
  if (signal?.aborted) throw signal.reason
  return result
}

/** Terminates the process group when the signal is aborted. Returns a function that removes the listener. */
function endWithSignal({pid}: {readonly pid?: number | undefined}, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined
  const signalGroup = (name: NodeJS.Signals) => {
    if (pid !== undefined) signalProcess(-pid, name)
  }
  const end = () => {
    signalGroup('SIGTERM')
    timer = setTimeout(signalGroup, TERMINATION_GRACE_MS, 'SIGKILL')
  }
  signal.addEventListener('abort', end, {once: true})
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

function lastLines(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n').slice(-MAX_LOG_LINES)
  return lines.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line))
}

async function readLines(child: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  for await (const line of child) onLine(String(line))
}

/** The programs that build images, and their Debian packages. */
export const IMAGE_TOOLS = {buildah: 'buildah', mmdebstrap: 'mmdebstrap', crun: 'crun'} as const

/** Throws `KK_IMAGE_TOOLS` if this user or this machine cannot build images. */
export function expectTools(env: NodeJS.ProcessEnv, user: number | undefined = process.geteuid?.()): void {
  const missing = Object.entries(IMAGE_TOOLS).filter(([program]) => onPath(program, env.PATH) === undefined)
  if (missing.length > 0) {
    const programs = missing.map(([program]) => program).join(', ')
    const packages = missing.map(([, name]) => name).join(' ')
    throw new KkError('KK_IMAGE_TOOLS', `programs that build images are not on the PATH: ${programs}`, {
      hint: `on Debian: apt-get install --no-install-recommends ${packages}`,
    })
  }
  if (user === 0) return
  throw new KkError(
    'KK_IMAGE_TOOLS',
    'building images requires root, because root file systems have files of many owners',
    {hint: 'run the same command with sudo'},
  )
}

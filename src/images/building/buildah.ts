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
  /** Everything that the program says is kept there, and each line is shown to `onLine`. */
  readonly log?: string
  readonly onLine?: (line: string) => void
  /** Where it runs, and what its environment has beside that of this process. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Time to take away its half-made containers. */
const TIDYING_MILLISECONDS = 20_000
const LINES_SHOWN = 12
/** buildah's own errors may have thousands of characters. */
const LONGEST_LINE = 300

/**
 * What buildah prints when the copy of itself that it is to run is still being written, on a busy machine: it ends before
 * it has begun anything (containers/storage: pkg/unshare/unshare.c).
 */
const NOT_BEGUN = /sealing memfd copy: Device or resource busy/
const MOST_STARTS = 10

/** Starts buildah, and again where it ended before it had begun. `stderr` may be that of both streams. */
export async function startBuildah<Ended extends {readonly failed: boolean; readonly stderr: string}>(
  start: () => PromiseLike<Ended>,
): Promise<Ended> {
  for (let starts = 1; ; starts++) {
    const ended = await start()
    if (!ended.failed || starts === MOST_STARTS || !NOT_BEGUN.test(ended.stderr)) return ended
  }
}

/** Runs buildah, or what works beside it, to its end; resolves with its standard output. Throws `KK_IMAGE`. */
export async function runProgram(
  program: 'buildah' | 'mmdebstrap' | 'go' | 'git',
  args: readonly string[],
  run: ProgramRun = {},
): Promise<string> {
  const {log} = run
  if (log !== undefined) await makeDirectory(dirname(log))
  const result = await startBuildah(() => runOnce(program, args, run))
  if (!result.failed) return result.stdout
  const where = log === undefined ? {} : {hint: `all that it said is in ${log}`}
  throw new KkError('KK_IMAGE', `${program} ${args[0]} failed`, {
    log: lastLines(result.all),
    cause: result,
    ...where,
  })
}

async function runOnce(program: string, args: readonly string[], run: ProgramRun) {
  const {signal, log, onLine, cwd, env} = run
  signal?.throwIfAborted()
  // Whoever only asks a registry needs none of it, and each start would pay for it.
  const {execa} = await import('execa')
  // In a group of its own: what it runs in a container goes on when it alone is ended.
  const child = execa(program, args, {
    ...{all: true, detached: true, reject: false, stdin: 'ignore'},
    ...(cwd !== undefined && {cwd}),
    env: {...foreignEnvironment(process.env), ...env},
    extendEnv: false,
  })
  const tidying = signal && endWithSignal(child, signal)
  const reading = onLine && readLines(child, onLine)
  const writing = log !== undefined && finished(child.all.pipe(createWriteStream(log)))
  const [result] = await Promise.all([child, reading, writing]).finally(tidying)
  if (signal?.aborted) throw signal.reason
  return result
}

/** Ends the group of a process when the signal is aborted. Returns what forgets the signal. */
function endWithSignal({pid}: {readonly pid?: number | undefined}, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined
  const signalGroup = (name: NodeJS.Signals) => {
    if (pid !== undefined) signalProcess(-pid, name)
  }
  const end = () => {
    signalGroup('SIGTERM')
    timer = setTimeout(signalGroup, TIDYING_MILLISECONDS, 'SIGKILL')
  }
  signal.addEventListener('abort', end, {once: true})
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

function lastLines(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n').slice(-LINES_SHOWN)
  return lines.map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
}

async function readLines(child: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  for await (const line of child) onLine(String(line))
}

/** What images are built with: program → Debian's package. */
export const IMAGE_TOOLS = {buildah: 'buildah', mmdebstrap: 'mmdebstrap', crun: 'crun'} as const

/** Throws `KK_IMAGE_TOOLS` when this user or this machine cannot build images. */
export function expectTools(env: NodeJS.ProcessEnv, user: number | undefined = process.geteuid?.()): void {
  const missing = Object.entries(IMAGE_TOOLS).filter(([program]) => onPath(program, env.PATH) === undefined)
  if (missing.length > 0) {
    const programs = missing.map(([program]) => program).join(', ')
    const packages = missing.map(([, name]) => name).join(' ')
    throw new KkError('KK_IMAGE_TOOLS', `images are built by programs that PATH does not have: ${programs}`, {
      hint: `on Debian: apt-get install --no-install-recommends ${packages}`,
    })
  }
  if (user === 0) return
  throw new KkError(
    'KK_IMAGE_TOOLS',
    'images are built by root: root file systems have files of many owners',
    {hint: 'run the same command with sudo'},
  )
}

import {createWriteStream} from 'node:fs'
import {dirname} from 'node:path'
import {finished} from 'node:stream/promises'
import {execa} from 'execa'
import {KkError} from '../../errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'

export interface ProgramRun {
  readonly signal?: AbortSignal | undefined
  /** Everything that the program says is kept there, and each line is shown to `onLine`. */
  readonly log?: string
  readonly onLine?: (line: string) => void
}

/** Time to take away its half-made containers. */
const TIDYING_MILLISECONDS = 20_000
const LINES_SHOWN = 12
/** buildah's own errors may have thousands of characters. */
const LONGEST_LINE = 300

/** Runs buildah, or what works beside it, to its end; resolves with its standard output. Throws `KK_IMAGE`. */
export async function runProgram(
  program: 'buildah' | 'mmdebstrap',
  args: readonly string[],
  {signal, log, onLine}: ProgramRun = {},
): Promise<string> {
  signal?.throwIfAborted()
  // In a group of its own: what it runs in a container goes on when it alone is ended.
  const child = execa(program, args, {all: true, detached: true, reject: false, stdin: 'ignore'})
  const tidying = signal && endWithSignal(child, signal)
  const reading = onLine && readLines(child, onLine)
  const writing = log === undefined ? undefined : await keepLog(child, log)
  const [result] = await Promise.all([child, reading, writing]).finally(tidying)
  if (signal?.aborted) throw signal.reason
  if (!result.failed) return result.stdout
  const where = log === undefined ? {} : {hint: `all that it said is in ${log}`}
  throw new KkError('KK_IMAGE', `${program} ${args[0]} failed`, {
    log: lastLines(result.all),
    cause: result,
    ...where,
  })
}

/** Ends the group of a process when the signal is aborted. Returns what forgets the signal. */
function endWithSignal({pid}: {readonly pid?: number | undefined}, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    killGroup(pid, 'SIGTERM')
    timer = setTimeout(() => killGroup(pid, 'SIGKILL'), TIDYING_MILLISECONDS)
  }
  signal.addEventListener('abort', end, {once: true})
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** One that has ended meanwhile, or did not start, is no error. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function lastLines(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n').slice(-LINES_SHOWN)
  return lines.map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
}

type Child = AsyncIterable<unknown> & {readonly all: NodeJS.ReadableStream}

async function readLines(child: Child, onLine: (line: string) => void): Promise<void> {
  for await (const line of child) onLine(String(line))
}

async function keepLog(child: Child, path: string): Promise<Promise<void>> {
  await makeDirectory(dirname(path))
  return finished(child.all.pipe(createWriteStream(path)))
}

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

const LINES_SHOWN = 12
/** buildah's own errors may have thousands of characters. */
const LONGEST_LINE = 300

/** Runs buildah, or what works beside it, to its end; resolves with its standard output. Throws `KK_IMAGE`. */
export async function runProgram(
  program: 'buildah' | 'mmdebstrap',
  args: readonly string[],
  {signal, log, onLine}: ProgramRun = {},
): Promise<string> {
  const child = execa(program, args, {
    all: true,
    cancelSignal: signal,
    // Time to take away its half-made containers.
    forceKillAfterDelay: 20_000,
    reject: false,
    stdin: 'ignore',
  })
  const reading = onLine && readLines(child, onLine)
  const writing = log === undefined ? undefined : await keepLog(child, log)
  const [result] = await Promise.all([child, reading, writing])
  if (signal?.aborted) throw signal.reason
  if (!result.failed) return result.stdout
  const where = log === undefined ? {} : {hint: `all that it said is in ${log}`}
  throw new KkError('KK_IMAGE', `${program} ${args[0]} failed`, {
    log: lastLines(result.all),
    cause: result,
    ...where,
  })
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

import {type FileHandle, open, readdir, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {KkError} from '../../errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {Journal} from './journal.ts'

export interface JournalFile extends Journal {
  readonly path: string
  close(): Promise<void>
}

export interface JournalOptions {
  /** kk's state directory; journals lie in `runs/` below it. */
  readonly directory: string
  readonly run: string
  /** Told once, when the journal cannot be written any more: the cluster is the truth, so the run goes on without. */
  readonly onBroken: (message: string) => void
  /** For tests: the process kills itself when so many transitions are on disk. */
  readonly killAt?: number | undefined
}

/** How many journals stay on a machine. */
const KEPT = 100

/** Begins the journal of a run. Throws `KK_FILE` when it cannot be written: nothing has been changed then. */
export async function openJournal(options: JournalOptions): Promise<JournalFile> {
  const {onBroken, killAt} = options
  const path = join(options.directory, 'runs', `${options.run}.ndjson`)
  const file = await create(path)
  await prune(dirname(path))
  let noted = 0
  let isBroken = false
  let written = Promise.resolve()

  const write = async (line: string): Promise<void> => {
    if (!isBroken) {
      await append(file, line).catch((error: NodeJS.ErrnoException) => {
        isBroken = true
        onBroken(`the journal ${path} cannot be written any more (${error.code}); the run goes on without it`)
      })
    }
    noted += 1
    if (noted === killAt) process.kill(process.pid, 'SIGKILL')
  }

  return {
    path,
    note(transition) {
      const line = `${JSON.stringify({at: new Date().toISOString(), ...transition})}\n`
      written = written.then(() => write(line))
      return written
    },
    async close() {
      await written
      await file.close()
    },
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    await makeDirectory(dirname(path), {mode: 0o700})
    const file = await open(path, 'ax', 0o600)
    // A full disk shows here, and not after the first change.
    await append(file, '\n').catch(async (error) => {
      await file.close()
      await rm(path, {force: true})
      throw error
    })
    return file
  } catch (error) {
    const {code} = (error instanceof KkError ? error.cause : error) as NodeJS.ErrnoException
    throw new KkError(
      'KK_FILE',
      `the journal of the run cannot be written: ${path} (${code}); nothing was changed`,
      {cause: error, hint: 'make room or give permission there, or name another directory by XDG_STATE_HOME'},
    )
  }
}

async function append(file: FileHandle, text: string): Promise<void> {
  await file.appendFile(text)
  await file.datasync()
}

/** The names sort by time. What cannot be deleted stays. */
async function prune(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.ndjson')).sort()
  for (const name of names.slice(0, -KEPT))
    await rm(join(directory, name), {force: true}).catch(() => undefined)
}

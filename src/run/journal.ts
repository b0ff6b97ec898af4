import {type FileHandle, open, readdir, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {KkError} from '../base/errors.ts'
import type {ReleaseId} from '../release.ts'
import {makeDirectory} from '../state/files/make-directory.ts'
import type {ObservedRun, RunObserver} from './observer.ts'

/**
 * A step of a run that is on disk before the next one starts. Contains no values and no output of other
 * programs.
 */
export type Transition =
  | {
      readonly type: 'run-started'
      readonly run: string
      readonly environment: string
      readonly verb: string
      readonly context: string
      readonly actions: readonly {
        readonly release: ReleaseId
        readonly kind: string
        /** The last revision that the plan saw. */
        readonly revision: number
        readonly inputs: string
      }[]
    }
  | {
      readonly type: 'helm-starting'
      readonly release: ReleaseId
      readonly verb: string
      /** The revision that helm should make; for a test, the revision under test. */
      readonly revision: number
      /** Milliseconds since the epoch. */
      readonly deadline: number
    }
  | {readonly type: 'helm-started'; readonly release: ReleaseId; readonly pid: number}
  /** `error` is a code; undefined if helm succeeded. */
  | {readonly type: 'helm-ended'; readonly release: ReleaseId; readonly error?: string}
  /** The object, e.g. `ConfigMap/extra`. */
  | {readonly type: 'object-deleting'; readonly release: ReleaseId; readonly object: string}
  | {readonly type: 'gate-passed'; readonly release: ReleaseId; readonly revision: number}
  | {readonly type: 'release-ended'; readonly release: ReleaseId; readonly error?: string}
  | {readonly type: 'run-ended'; readonly outcome: string}

/** The log of a run on the machine that executes it. */
export interface Journal {
  /** Resolves when the step is on disk, or cannot be written: a run in progress continues. Never rejects. */
  note(transition: Transition): Promise<void>
}

export interface JournalFile extends Journal, AsyncDisposable {
  readonly path: string
  /**
   * Notes the end of the run. If the journal can no longer be written, warns once: the cluster is
   * authoritative, so the run continues without it.
   */
  readonly observer: RunObserver
}

export interface JournalOptions {
  /** kk's state directory; journals are in its `runs/`. */
  readonly directory: string
  readonly run: string
}

/** The number of journals that are kept on a machine. */
const MAX_JOURNALS = 100

/** Creates the journal of a run. Throws `KK_FILE` if it cannot be written; nothing has been changed then. */
export async function openJournal(options: JournalOptions): Promise<JournalFile> {
  const path = join(options.directory, 'runs', `${options.run}.ndjson`)
  const file = await create(path)
  await prune(dirname(path))
  let isBroken = false
  let trouble: string | undefined
  let written = Promise.resolve()

  const write = async (line: string): Promise<void> => {
    if (isBroken) return
    await append(file, line).catch((error: NodeJS.ErrnoException) => {
      isBroken = true
      trouble = `the journal ${path} can no longer be written (${error.code}); the run continues without it`
    })
  }

  const note: Journal['note'] = (transition) => {
    const line = `${JSON.stringify({at: new Date().toISOString(), ...transition})}\n`
    written = written.then(() => write(line))
    return written
  }
  const warn = (run: ObservedRun): void => {
    const message = trouble
    trouble = undefined
    if (message !== undefined) run.warned(message)
  }

  return {
    path,
    note,
    observer: {
      observe: (_event, run) => warn(run),
      async finish(outcome, run) {
        if (outcome !== undefined) await note({type: 'run-ended', outcome})
        warn(run)
      },
    },
    async [Symbol.asyncDispose]() {
      await written
      await file.close()
    },
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    await makeDirectory(dirname(path), {mode: 0o700})
    const file = await open(path, 'ax', 0o600)
    // A full disk is detected here, before the first change.
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
      {cause: error, hint: 'make room or give permission there, or set XDG_STATE_HOME to another directory'},
    )
  }
}

async function append(file: FileHandle, text: string): Promise<void> {
  await file.appendFile(text)
  await file.datasync()
}

/** Deletes old journals; the names sort by time. Ignores files that cannot be deleted. */
async function prune(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.ndjson')).sort()
  for (const name of names.slice(0, -MAX_JOURNALS))
    await rm(join(directory, name), {force: true}).catch(() => undefined)
}

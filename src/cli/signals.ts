import {type ExitCode, KkError} from '../base/errors.ts'
import type {Interruption} from '../run/interruption.ts'
import type {Console} from './console.ts'

const EXIT = {SIGINT: 130, SIGTERM: 143, SIGHUP: 130} as const satisfies Record<string, ExitCode>

/**
 * Until it is disposed of, the first signal asks the run to stop and the second to abort; a terminal that is closed
 * (SIGHUP) never aborts. `first` returns the exit code of the signal that came first.
 */
export function interruptBySignals(
  interruption: Interruption,
): Disposable & {readonly first: () => ExitCode | undefined} {
  let interrupted: ExitCode | undefined
  const handlers = Object.entries(EXIT).map(([signal, exit]) => {
    const handler = () => {
      // A shell that loses its terminal tells its jobs, and the kernel tells them again: nobody has asked twice.
      if (signal === 'SIGHUP' && interrupted !== undefined) return
      interrupted ??= exit
      interruption.interrupt()
    }
    process.on(signal, handler)
    return () => process.off(signal, handler)
  })
  return {
    first: () => interrupted,
    [Symbol.dispose]() {
      for (const remove of handlers) remove()
    },
  }
}

/**
 * Ends the process in order, so that what is temporary goes, and says so; where a run listens to the signal, that decides.
 * `early` as `main` has it.
 */
export function endBySignals(console: Console, early: () => NodeJS.Signals | undefined): void {
  let isWritten = false
  const write = process.stdout.write.bind(process.stdout) as (...words: readonly unknown[]) => boolean
  process.stdout.write = (...words: readonly unknown[]) => {
    isWritten = true
    return write(...words)
  }
  const end = (signal: string, exit: ExitCode): never => {
    const error = new KkError('KK_INTERRUPTED', `kk was ended by ${signal}`, {
      exit,
      hint: 'run the same command again: kk looks at what is there first',
    })
    process.exit(console.fail(error, {hasDocument: isWritten}))
  }
  for (const [signal, exit] of Object.entries(EXIT)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) end(signal, exit)
    })
  }
  const signal = early()
  if (signal) end(signal, EXIT[signal as keyof typeof EXIT])
}

/** Lets signals end kk without a word: of what is shown until somebody ends it, nothing is interrupted. */
export function endQuietly(): void {
  for (const [signal, exit] of Object.entries(EXIT)) process.on(signal, () => process.exit(exit))
}

/** Runs `body` with a signal that the first Ctrl-C aborts: it undoes what was started, so that nothing half started stays. */
export async function abortable<T>(
  what: string,
  body: (signal: AbortSignal) => Promise<T>,
  hint = 'what was started has been removed',
): Promise<T> {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new KkError('KK_INTERRUPTED', `${what} was interrupted`, {hint}))
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    return await body(controller.signal)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

import {type ExitCode, KkError} from '../base/errors.ts'
import type {Interruption} from '../run/interruption.ts'
import type {Console} from './console.ts'

const EXIT_CODES = {SIGINT: 130, SIGTERM: 143, SIGHUP: 130} as const satisfies Record<string, ExitCode>

/**
 * Until disposal, the first signal stops the run and the second aborts it; a closed terminal (SIGHUP) never
 * aborts it. `first` returns the exit code of the first signal.
 */
export function interruptBySignals(
  interruption: Interruption,
): Disposable & {readonly first: () => ExitCode | undefined} {
  let interrupted: ExitCode | undefined
  const handlers = Object.entries(EXIT_CODES).map(([signal, exit]) => {
    const handler = () => {
      // If a terminal closes, both the shell and the kernel send SIGHUP: this is not a second request.
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
 * Ends the process orderly on a signal, so that temporary files are removed, and reports it; if a run listens
 * for the signal, it decides. `early` returns a signal that arrived before, as in `main`.
 */
export function endBySignals(console: Console, early: () => NodeJS.Signals | undefined): void {
  let isWritten = false
  const write = process.stdout.write.bind(process.stdout) as (...words: readonly unknown[]) => boolean
  process.stdout.write = (...words: readonly unknown[]) => {
    isWritten = true
    return write(...words)
  }
  const end = (signal: string, exit: ExitCode): never => {
    const error = new KkError('KK_INTERRUPTED', `kk was terminated by ${signal}`, {
      exit,
      hint: 'run the same command again: kk checks the current state first',
    })
    process.exit(console.fail(error, {hasDocument: isWritten}))
  }
  for (const [signal, exit] of Object.entries(EXIT_CODES)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) end(signal, exit)
    })
  }
  const signal = early()
  if (signal) end(signal, EXIT_CODES[signal as keyof typeof EXIT_CODES])
}

/** Ends kk silently on a signal, for views that run until Ctrl-C. */
export function endQuietly(): void {
  for (const [signal, exit] of Object.entries(EXIT_CODES)) process.on(signal, () => process.exit(exit))
}

/** Runs `body` with a signal that the first Ctrl-C aborts; `body` then undoes what it started. */
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

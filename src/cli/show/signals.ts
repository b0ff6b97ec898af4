import type {ExitCode} from '../../errors.ts'
import type {Interruption} from '../../run/interruption.ts'

const EXIT = {SIGINT: 130, SIGTERM: 143, SIGHUP: 130} as const satisfies Record<string, ExitCode>

/**
 * While `body` runs, the first signal asks the run to stop and the second to abort; a terminal that is closed (SIGHUP)
 * never aborts. Returns the signal that came first.
 */
export async function interruptible<T>(
  interruption: Interruption,
  body: () => Promise<T>,
): Promise<{readonly result: T; readonly interrupted: ExitCode | undefined}> {
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
  try {
    return {result: await body(), interrupted}
  } finally {
    for (const remove of handlers) remove()
  }
}

/** Ends the process in order, so that what is temporary goes; where a run listens to the signal, that decides. */
export function endBySignals(): void {
  for (const [signal, exit] of Object.entries(EXIT)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exit)
    })
  }
}

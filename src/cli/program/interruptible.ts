import {KkError} from '../../errors.ts'

/** Runs `body` with a signal that the first Ctrl-C aborts: it undoes what was started, so that nothing half started stays. */
export async function interruptible<T>(
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

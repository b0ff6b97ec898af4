/** The exit codes of signals by a shell's convention: 128 and the number of the signal. */
const SIGNAL_EXIT = {SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGKILL: 137, SIGTERM: 143} as Readonly<
  Record<string, number>
>

interface Ended {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
}

/** Returns the exit code by which a shell tells how a program ended. */
export function exitCodeOf({exitCode, signal}: Ended): number {
  return exitCode ?? SIGNAL_EXIT[signal ?? ''] ?? 1
}

/** Returns how a program ended, for people: `exit code 2`, `SIGKILL`; undefined for one that could not be started. */
export function endOf({exitCode, signal}: Ended): string | undefined {
  return exitCode === undefined ? signal : `exit code ${exitCode}`
}

/** The exit codes of signals by shell convention: 128 plus the signal number. */
const SIGNAL_EXIT = {SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGKILL: 137, SIGTERM: 143} as Readonly<
  Record<string, number>
>

interface Ended {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
}

/** Returns the exit code that a shell would report for a program. */
export function exitCodeOf({exitCode, signal}: Ended): number {
  return exitCode ?? SIGNAL_EXIT[signal ?? ''] ?? 1
}

/** Describes how a program ended: `exit code 2`, `SIGKILL`; undefined if it could not be started. */
export function describeExit({exitCode, signal}: Ended): string | undefined {
  return exitCode === undefined ? signal : `exit code ${exitCode}`
}

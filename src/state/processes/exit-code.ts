/** The exit codes of signals by a shell's convention: 128 and the number of the signal. */
const SIGNAL_EXIT = {SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGKILL: 137, SIGTERM: 143} as Readonly<
  Record<string, number>
>

/** Returns the exit code by which a shell tells how a program ended. */
export function exitCodeOf({exitCode, signal}: {exitCode?: number; signal?: string}): number {
  return exitCode ?? SIGNAL_EXIT[signal ?? ''] ?? 1
}

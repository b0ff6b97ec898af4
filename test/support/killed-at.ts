/**
 * Returns a command; with a step, one that is killed by SIGKILL once so many transitions of its run are in
 * its journal. strace kills it as it enters the call that brings the last of them to the disk, before which
 * it does nothing else; helms that it has started live on.
 */
export function killedAt(step: number | undefined, [program, ...words]: readonly [string, ...string[]]) {
  if (step === undefined) return [program, words] as const
  // A journal begins with an empty line. strace counts the calls of each thread, so that there must be one
  // alone.
  const kill = ['-e', 'trace=fdatasync', '-e', `inject=fdatasync:signal=KILL:when=${step + 1}`]
  const strace = ['-D', '-f', '-qq', '-b', 'execve', '-o', '/dev/null', '-E', 'UV_THREADPOOL_SIZE=1', ...kill]
  return ['/usr/bin/strace', [...strace, program, ...words]] as const
}

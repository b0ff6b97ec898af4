type Code = string | undefined

/** Who reads has gone: a pipe, or a terminal. */
const GONE: ReadonlySet<Code> = new Set(['EPIPE', 'EIO'])

/**
 * Keeps kk at work when its output cannot be written: a run must not break off in the middle of helm because nobody
 * looks on. Data that was lost otherwise than by its reader, as on a full disk, is told, and makes the exit code 1.
 */
export function endureBrokenStreams(): void {
  endure(process.stderr, () => undefined)
  endure(process.stdout, (code) => {
    if (GONE.has(code)) return
    process.stderr.write(`error KK_FILE: standard output cannot be written (${code})\n`)
    process.once('exit', () => {
      if (!process.exitCode) process.exitCode = 1
    })
  })
}

/** After the first failure nothing more is written. */
function endure(stream: NodeJS.WriteStream, onBroken: (code: Code) => void): void {
  let isBroken = false
  const broken = (error: unknown): void => {
    if (isBroken) return
    isBroken = true
    onBroken((error as NodeJS.ErrnoException).code)
  }
  const write = stream.write.bind(stream) as (...words: readonly unknown[]) => boolean
  // oclif's own listener throws, which would end the process.
  stream.removeAllListeners('error').on('error', broken)
  stream.write = (...words: readonly unknown[]) => {
    if (isBroken) return true
    try {
      return write(...words)
    } catch (error) {
      // A file is written at once, and what fails is thrown.
      broken(error)
      return true
    }
  }
}

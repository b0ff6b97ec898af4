import {execa} from 'execa'
import {KkError} from '../../errors.ts'
import {exitCodeOf} from '../../state/processes/exit-code.ts'

/** Runs a program in kk's place, with its streams and the signals that it gets; resolves with the exit code. */
export async function runCommand(program: string, args: readonly string[]): Promise<number> {
  const child = execa(program, args, {stdio: 'inherit', reject: false})
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', pass).on('SIGTERM', pass)
  try {
    const result = await child
    if (result.code === 'ENOENT') throw notFound(program)
    return exitCodeOf(result)
  } finally {
    process.off('SIGINT', pass).off('SIGTERM', pass)
  }
}

function notFound(program: string): KkError {
  return new KkError('KK_USAGE', `${program} was not found`, {
    hint: 'COMMAND names a program on PATH, and its arguments',
  })
}

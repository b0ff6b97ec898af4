import {execa} from 'execa'
import {KkError} from '../../../base/errors.ts'
import {foreignEnvironment} from '../../../state/processes/foreign-environment.ts'

/** The PATH for these programs, whose directories root's PATH of a plain shell lacks. */
export const SYSTEM_PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`

/** Runs a program of the system and returns its standard output. Rejects with `KK_AIO` and its last lines. */
export async function command(argv: readonly string[], input?: string): Promise<string> {
  const [file = '', ...args] = argv
  const result = await execa(file, args, {
    env: {...foreignEnvironment(process.env), PATH: SYSTEM_PATH},
    extendEnv: false,
    input: input ?? '',
    reject: false,
  })
  if (!result.failed) return result.stdout
  throw new KkError('KK_AIO', `${argv.slice(0, 3).join(' ')} failed`, {
    log: (result.stderr || (result.shortMessage ?? '')).split('\n').slice(-10),
    hint: '"kk aio doctor" checks what the node needs of this machine',
    cause: result,
  })
}

/** Returns true if a program of the system succeeds. */
export async function succeeds(argv: readonly string[]): Promise<boolean> {
  return command(argv).then(
    () => true,
    () => false,
  )
}

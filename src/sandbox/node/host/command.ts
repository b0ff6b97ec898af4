import {execa} from 'execa'
import {KkError} from '../../../base/errors.ts'
import {foreignEnvironment} from '../../../state/processes/foreign-environment.ts'

/** The PATH for these programs; root's PATH in a plain shell lacks some of these directories. */
export const SYSTEM_PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`

/** Runs a system program and returns its standard output. Rejects with `KK_AIO` and its last lines. */
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
    hint: '"kk aio doctor" checks the requirements of the node',
    cause: result,
  })
}

/** Returns true if a system program succeeds. */
export async function succeeds(argv: readonly string[]): Promise<boolean> {
  return command(argv).then(
    () => true,
    () => false,
  )
}

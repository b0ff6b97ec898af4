import {execa} from 'execa'
import {KkError} from '../base/errors.ts'
import {exitCodeOf} from '../state/processes/exit-code.ts'
import {childEnvironment} from './child-environment.ts'
import {requireSandbox} from './running.ts'

interface ShellOptions {
  readonly name: string
  /** The command with its arguments; empty for the user's shell. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Runs a shell or a command in the sandbox's environment. Resolves with its exit code. */
export async function shell({name, command, env}: ShellOptions): Promise<number> {
  const sandbox = await requireSandbox(name, env)
  const [file = env.SHELL || '/bin/sh', ...args] = command
  // Ctrl-C also reaches the child in the same process group; kk waits until the child exits.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    const result = await execa(file, args, {
      env: childEnvironment(sandbox.kubeconfig, env),
      extendEnv: false,
      stdio: 'inherit',
      reject: false,
    })
    if (result.code === 'ENOENT') throw notFound(file)
    return exitCodeOf(result)
  } finally {
    process.off('SIGINT', ignore)
  }
}

function notFound(file: string): KkError {
  return new KkError('KK_SANDBOX', `${file} was not found`, {
    hint: 'specify a command on PATH after "--", or set SHELL',
  })
}

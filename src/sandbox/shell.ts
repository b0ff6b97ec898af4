import {execa} from 'execa'
import {KkError} from '../errors.ts'
import {childEnvironment} from './child-environment.ts'
import {requireSandbox} from './running.ts'

interface ShellOptions {
  readonly name: string
  /** A command with its arguments; none for the user's shell. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

// A shell's convention: 128 and the number of the signal.
const SIGNAL_EXIT = {SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGKILL: 137, SIGTERM: 143} as Readonly<
  Record<string, number>
>

/** Runs a shell, or a command, that sees the sandbox and its tools; resolves with its exit code. */
export async function shell({name, command, env}: ShellOptions): Promise<number> {
  const sandbox = await requireSandbox(name, env)
  const [file = env.SHELL || '/bin/sh', ...args] = command
  // Ctrl-C goes to the child, in the same process group; kk waits for what it makes of it.
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
    return result.exitCode ?? SIGNAL_EXIT[result.signal ?? ''] ?? 1
  } finally {
    process.off('SIGINT', ignore)
  }
}

function notFound(file: string): KkError {
  return new KkError('KK_SANDBOX', `${file} was not found`, {
    hint: 'name a command on PATH after "--", or set SHELL',
  })
}

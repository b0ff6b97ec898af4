import {execa} from 'execa'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {awaitDependencies} from '../kubernetes/dependencies/open.ts'
import {exitCodeOf} from '../state/processes/exit-code.ts'

export default class Entrypoint extends KkCommand {
  static override summary = 'Wait, in a pod, for what its DEPENDENCY_* variables name; then run COMMAND.'
  static override description =
    "The contract of kubernetes-entrypoint, for init containers of openstack-helm's and kk's charts: DEPENDENCY_SERVICE, _JOBS, _JOBS_JSON, _DAEMONSET, _POD_JSON, _CONTAINER, _CUSTOM_RESOURCE and _SOCKET, with NAMESPACE and POD_NAME of the pod. Waits as long as it takes. The exit code is that of COMMAND, which is split at spaces and may be left out."
  static override examples = ['kk entrypoint']

  override async run(): Promise<void> {
    await this.parse(Entrypoint)
    await awaitDependencies(process.env, this.console.say)
    const [program, ...args] = (process.env.COMMAND ?? '').split(' ').filter(Boolean)
    if (program !== undefined) process.exitCode = await runCommand(program, args)
  }
}

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

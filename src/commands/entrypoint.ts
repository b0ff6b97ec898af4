import {execa} from 'execa'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {awaitDependencies} from '../kubernetes/dependencies/open.ts'
import {exitCodeOf} from '../state/processes/exit-code.ts'

export default class Entrypoint extends KkCommand {
  static override hidden = true
  static override summary =
    'Wait in a pod for the dependencies in its DEPENDENCY_* variables, then run COMMAND.'
  static override description =
    'Implements the interface of kubernetes-entrypoint, for init containers of the charts of openstack-helm and kk: DEPENDENCY_SERVICE, _JOBS, _JOBS_JSON, _DAEMONSET, _POD_JSON, _CONTAINER, _CUSTOM_RESOURCE and _SOCKET, with NAMESPACE and POD_NAME of the pod. Waits without a timeout. COMMAND is optional and split at spaces; kk exits with its exit code.'
  static override examples = ['kk entrypoint']

  override async run(): Promise<void> {
    await this.parse(Entrypoint)
    await awaitDependencies(process.env, this.console.say)
    const [program, ...args] = (process.env.COMMAND ?? '').split(' ').filter(Boolean)
    if (program !== undefined) process.exitCode = await runCommand(program, args)
  }
}

/**
 * Runs a program with kk's standard streams, and forwards SIGINT and SIGTERM to it; resolves with the exit
 * code.
 */
export async function runCommand(program: string, args: readonly string[]): Promise<number> {
  const child = execa(program, args, {stdio: 'inherit', reject: false})
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', forward).on('SIGTERM', forward)
  try {
    const result = await child
    if (result.code === 'ENOENT') throw notFound(program)
    return exitCodeOf(result)
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward)
  }
}

function notFound(program: string): KkError {
  return new KkError('KK_USAGE', `${program} was not found`, {
    hint: 'COMMAND names a program on PATH, and its arguments',
  })
}

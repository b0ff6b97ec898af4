import {KkCommand} from '../cli/program/command.ts'
import {runCommand} from '../cli/program/run-command.ts'
import {awaitDependencies} from '../cluster/dependencies/open.ts'

export default class Entrypoint extends KkCommand {
  static override summary = 'Wait, in a pod, for what its DEPENDENCY_* variables name; then run COMMAND.'
  static override description =
    "The contract of kubernetes-entrypoint, for init containers of openstack-helm's and kk's charts: DEPENDENCY_SERVICE, _JOBS, _JOBS_JSON, _DAEMONSET, _POD_JSON, _CONTAINER, _CUSTOM_RESOURCE and _SOCKET, with NAMESPACE and POD_NAME of the pod. Waits as long as it takes. The exit code is that of COMMAND, which is split at spaces and may be left out."
  static override examples = ['<%= config.bin %> entrypoint']

  override async run(): Promise<void> {
    await this.parse(Entrypoint)
    await awaitDependencies(process.env, (line) => this.say(line))
    const [program, ...args] = (process.env.COMMAND ?? '').split(' ').filter(Boolean)
    if (program !== undefined) process.exitCode = await runCommand(program, args)
  }
}

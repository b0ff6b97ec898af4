import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, timeoutFlag, timeoutSeconds} from '../../cli/flags.ts'
import {nameArgument, withCluster} from '../../cli/operator/with-cluster.ts'
import {operatorCommand} from '../../cli/run/repeat-command.ts'
import {pauseEnvironment} from '../../operator/client/environment-commands.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../../run/task.ts'

export default class OperatorPause extends KkCommand {
  static override summary =
    'Pause the reconciliation of an Environment, so that the command line can change it.'
  static override description =
    'The operator finishes running actions and starts no others. kk waits until the operator reports this; then kk deploy and other commands can change the environment.'
  static override examples = ['kk operator pause production']
  static override args = nameArgument
  static override flags = {
    timeout: timeoutFlag('the operator', '20m'),
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorPause)
    const timeout = timeoutSeconds(flags.timeout) ?? DEFAULT_TIMEOUT_SECONDS
    const until = Date.now() + timeout * 1000
    const {say} = this.console
    await withCluster(flags, (cluster) => pauseEnvironment(cluster, args.name, {until, say}))
    this.console.say(
      `${args.name} is paused: the command line may change it; to resume: ${operatorCommand(`resume ${args.name}`, flags)}`,
    )
  }
}

import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {deadline, nameArgument, waitFlags, withCluster} from '../../cli/operator/with-cluster.ts'
import {operatorCommand} from '../../cli/run/repeat-command.ts'
import {pauseEnvironment} from '../../operator/client/environment-commands.ts'

export default class OperatorPause extends KkCommand {
  static override summary =
    'Pause the reconciliation of an Environment, so that the command line can change it.'
  static override description =
    'The operator finishes running actions and starts no others. kk waits until the operator reports this; then kk deploy and other commands can change the environment.'
  static override examples = ['kk operator pause production']
  static override args = nameArgument
  static override flags = {
    ...waitFlags,
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorPause)
    const until = deadline(flags)
    const {say} = this.console
    await withCluster(flags, (cluster) => pauseEnvironment(cluster, args.name, {until, say}))
    this.console.say(
      `${args.name} is paused: the command line may change it; to resume: ${operatorCommand(`resume ${args.name}`, flags)}`,
    )
  }
}

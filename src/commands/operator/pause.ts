import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, timeoutFlag} from '../../cli/flags.ts'
import {nameArgument, onCluster} from '../../cli/operator/steer.ts'
import {operatorCommand} from '../../cli/run/same-again.ts'
import {pauseEnvironment} from '../../operator/client/environment-commands.ts'

export default class OperatorPause extends KkCommand {
  static override summary = 'Have the operator leave an environment to the command line.'
  static override description =
    'The operator starts nothing more; what it runs ends first. kk waits until it has said so: from then on kk deploy and the like change the environment.'
  static override examples = ['kk operator pause production']
  static override args = nameArgument
  static override flags = {
    timeout: timeoutFlag('How long to wait for the operator, in seconds.'),
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorPause)
    const until = Date.now() + flags.timeout * 1000
    const {say} = this.console
    await onCluster(flags, (cluster) => pauseEnvironment(cluster, args.name, {until, say}))
    this.console.say(
      `${args.name} is paused: the command line may change it; to hand it back: ${operatorCommand(`resume ${args.name}`, flags)}`,
    )
  }
}

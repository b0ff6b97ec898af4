import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {nameArgument, onCluster} from '../../cli/operator/steer.ts'
import {retryEnvironment} from '../../operator/client/environment-commands.ts'

export default class OperatorRetry extends KkCommand {
  static override summary = 'Have the operator try again what has failed.'
  static override description =
    'The operator tries the same inputs once, and then waits until they change. With this it tries them once more.'
  static override examples = ['kk operator retry production']
  static override args = nameArgument
  static override flags = clusterFlags

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorRetry)
    const {say} = this.console
    await onCluster(flags, (cluster) => retryEnvironment(cluster, args.name, {now: new Date(), say}))
  }
}

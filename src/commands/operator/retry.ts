import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {nameArgument, withCluster} from '../../cli/operator/with-cluster.ts'
import {retryEnvironment} from '../../operator/client/environment-commands.ts'

export default class OperatorRetry extends KkCommand {
  static override summary = 'Make the operator retry failed releases.'
  static override description =
    'The operator tries the same inputs once, then waits until they change. This command requests one more try.'
  static override examples = ['kk operator retry production']
  static override args = nameArgument
  static override flags = clusterFlags

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorRetry)
    const {say} = this.console
    await withCluster(flags, (cluster) => retryEnvironment(cluster, args.name, {now: new Date(), say}))
  }
}

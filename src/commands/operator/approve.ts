import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {nameArgument, withCluster} from '../../cli/operator/with-cluster.ts'
import {approvePlan} from '../../operator/client/environment-commands.ts'

export default class OperatorApprove extends KkCommand {
  static override summary = 'Approve the pending plan of an Environment.'
  static override description =
    'The approval is valid for exactly this plan: if the inputs or the cluster change before it starts, the next plan has another digest and needs its own approval.'
  static override examples = [
    'kk operator approve production 3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea',
  ]
  static override args = {
    ...nameArgument,
    digest: argument({
      description: 'The digest of the plan, as shown in the status of the Environment.',
      required: true,
    }),
  }
  static override flags = clusterFlags

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorApprove)
    const actions = await withCluster(flags, (cluster) => approvePlan(cluster, args.name, args.digest))
    this.console.say(`approved for ${args.name}: ${actions.join(', ')}`)
  }
}

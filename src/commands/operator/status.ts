import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {isHealthy, operatorStatusText, readOperatorStatus} from '../../operator/client/status.ts'

export default class OperatorStatus extends KkCommand {
  static override summary = 'Show the Environments of the operator, their plans, and pending approvals.'
  static override description =
    'Shows for each Environment its phase, the plan with its digest, the command that approves a pending plan, and the releases that are not in the desired state, with the cause. Exits 1 unless every Environment is ready or paused, and 0 if there is no operator.'
  static override examples = ['kk operator status --sandbox', 'kk operator status --sandbox --output json']
  static override args = {name: argument({description: 'The name of the Environment (default: all).'})}
  static override flags = {...clusterFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorStatus)
    await using cluster = await openChosenCluster(flags, undefined)
    const status = await readOperatorStatus(cluster, {names: args.name === undefined ? [] : [args.name]})
    this.console.document(flags.output, {context: cluster.context, ...status}, (palette) =>
      operatorStatusText(status, palette),
    )
    if (!isHealthy(status)) process.exitCode = 1
  }
}

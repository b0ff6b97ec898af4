import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {nameArgument} from '../../cli/operator/with-cluster.ts'
import {followedReportFlags, streamFlags} from '../../cli/run/flags.ts'
import {openReportFiles} from '../../cli/run/report-files.ts'
import {followOperated} from '../../cli/run/via-operator.ts'

export default class OperatorFollow extends KkCommand {
  static override summary = 'Follow the reconciliation of an Environment until it is finished.'
  static override description =
    'Shows it like a local run, with the same exit code; after Ctrl-C it continues in the cluster. Reports if the plan needs an approval, or the Environment is paused.'
  static override examples = ['kk operator follow production']
  static override args = nameArgument
  static override flags = {...streamFlags, ...followedReportFlags, ...clusterFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(OperatorFollow)
    const context = {flags, console: this.console, reports: await openReportFiles(flags.report)}
    await using cluster = await openChosenCluster(flags, undefined)
    process.exitCode = await followOperated(cluster, args.name, context)
  }
}

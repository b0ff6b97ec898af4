import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {nameArgument} from '../../cli/operator/steer.ts'
import {followedReportFlags, streamFlags} from '../../cli/run/flags.ts'
import {openReportFiles} from '../../cli/run/report-files.ts'
import {followOperated} from '../../cli/run/via-operator.ts'

export default class OperatorFollow extends KkCommand {
  static override summary = 'Follow what the operator does with an Environment, until it is done with it.'
  static override description =
    'It is shown as a run here, and the exit code is the same; Ctrl-C leaves it at work. Where its plan waits for approval, or it is paused, that is said.'
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

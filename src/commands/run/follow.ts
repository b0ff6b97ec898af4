import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {followedReportFlags, runNamespaceFlags, streamFlags} from '../../cli/run/flags.ts'
import {followInCluster} from '../../cli/run/in-cluster.ts'
import {openReportFiles} from '../../cli/run/report-files.ts'

export default class RunFollow extends KkCommand {
  static override summary = 'Follow a run in the cluster, from its beginning, until it has ended.'
  static override description =
    'Of a run that kk deploy --in-cluster has started. It is shown as a run here, and the exit code is the same; Ctrl-C leaves it at work. A run that has ended is told once more, for a week.'
  static override examples = ['kk run follow 20261121-083000-3f9a --sandbox']
  static override args = {run: argument({description: 'The id of the run.', required: true})}
  static override flags = {...runNamespaceFlags, ...streamFlags, ...followedReportFlags, ...clusterFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(RunFollow)
    const context = {flags, console: this.console, reports: await openReportFiles(flags.report)}
    await using cluster = await openChosenCluster(flags, undefined)
    const place = {id: args.run, namespace: flags.namespace}
    process.exitCode = await followInCluster(cluster, place, context)
  }
}

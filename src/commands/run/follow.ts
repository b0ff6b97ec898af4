import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {followedReportFlags, jobNamespaceFlags, streamFlags} from '../../cli/run/flags.ts'
import {followInCluster} from '../../cli/run/in-cluster.ts'
import {openReportFiles} from '../../cli/run/report-files.ts'

export default class RunFollow extends KkCommand {
  static override summary = 'Follow a run in the cluster from its start until it ends.'
  static override description =
    'For runs that kk deploy --in-cluster started. Shows the run like a local one, with the same exit code; after Ctrl-C it continues in the cluster. A finished run can be replayed for a week.'
  static override examples = ['kk run follow 20261121-083000-3f9a --sandbox']
  static override args = {run: argument({description: 'The ID of the run.', required: true})}
  static override flags = {...jobNamespaceFlags, ...streamFlags, ...followedReportFlags, ...clusterFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(RunFollow)
    const context = {flags, console: this.console, reports: await openReportFiles(flags.report)}
    await using cluster = await openChosenCluster(flags, undefined)
    const place = {id: args.run, namespace: flags['job-namespace']}
    process.exitCode = await followInCluster(cluster, place, context)
  }
}

import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {jobNamespaceFlags} from '../../cli/run/flags.ts'
import {table} from '../../report/table.ts'
import {clusterRuns} from '../../verbs/in-cluster/follow-run.ts'

export default class RunList extends KkCommand {
  static override summary = 'List the runs that have a Job in the cluster, newest first.'
  static override description =
    'A finished Job is kept for a week. kk history lists all runs, including those of the command line and the operator.'
  static override examples = ['kk run list --sandbox']
  static override flags = {...jobNamespaceFlags, ...documentFlags, ...clusterFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(RunList)
    await using cluster = await openChosenCluster(flags, undefined)
    const runs = await clusterRuns(cluster.objects, flags['job-namespace'])
    this.console.document(flags.output, {runs}, ({strong}) => {
      if (runs.length === 0)
        return `no run has a Job in ${flags['job-namespace']}; to list all runs: kk history --all`
      return table(runs, {
        RUN: ({id}) => strong(id),
        STATE: ({state}) => state,
        VERB: ({verb}) => verb,
        ENVIRONMENT: ({environment}) => environment,
        STARTED: ({startedAt}) => startedAt,
        BY: ({who}) => who,
      })
    })
  }
}

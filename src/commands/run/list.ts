import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {runNamespaceFlags} from '../../cli/run/flags.ts'
import {table} from '../../report/table.ts'
import {clusterRuns} from '../../verbs/in-cluster/follow-run.ts'

export default class RunList extends KkCommand {
  static override summary = 'List the runs in the cluster whose Jobs are there, newest first.'
  static override description =
    'A Job that has ended stays for a week. All runs, also those of command lines and of the operator, are in kk history.'
  static override examples = ['kk run list --sandbox']
  static override flags = {...runNamespaceFlags, ...documentFlags, ...clusterFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(RunList)
    await using cluster = await openChosenCluster(flags, undefined)
    const runs = await clusterRuns(cluster.objects, flags.namespace)
    this.console.document(flags.output, {runs}, ({strong}) => {
      if (runs.length === 0) return `no run has a Job in ${flags.namespace}; of all runs: kk history --all`
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

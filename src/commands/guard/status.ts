import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, fileArgument} from '../../cli/flags.ts'
import {openGuarded} from '../../cli/guard.ts'
import {guardStatusText} from '../../report/guard-text.ts'
import {guardStatus} from '../../verbs/guard.ts'

export default class GuardStatus extends KkCommand {
  static override summary = 'Show whether the cluster has a guard, what it protects, and what is approved.'
  static override description =
    'Checks with a server-side dry run whether the API server enforces the guard. Exits 1 if the guard is broken, and 0 if there is none.'
  static override examples = ['kk guard status --sandbox', 'kk guard status --sandbox --output json']
  static override args = fileArgument
  static override flags = {...environmentFlags, ...clusterFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GuardStatus)
    const guarded = await openGuarded(flags, argv as string[])
    await using cluster = guarded.cluster
    const status = await guardStatus(cluster, Date.now())
    this.console.document(flags.output, {context: cluster.context, ...status}, (palette) =>
      guardStatusText(status, palette),
    )
    if (status.installed && !(status.enforced && status.faults.length === 0)) process.exitCode = 1
  }
}

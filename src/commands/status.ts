import {clusterFlags, documentFlags, environmentFlags, releasesArgument} from '../cli/flags.ts'
import {openChosenCluster, openPrepared} from '../cli/open.ts'
import {KkCommand} from '../cli/program/command.ts'
import {statusText} from '../report/status-text.ts'
import {status} from '../verbs/observation/status.ts'

export default class Status extends KkCommand {
  static override summary = 'Show each release of an environment as it is on the cluster.'
  static override description =
    'Revision, health with the reason, and whether a deploy would find other inputs than those that are deployed. Exits 1 when a release is not healthy.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> status environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> status environments/all-in-one.yaml keystone --sandbox --output json',
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {...environmentFlags, ...clusterFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Status)
    const {prepared, releases} = await openPrepared(flags, argv as string[])
    const cluster = await openChosenCluster(flags, prepared.environment, {start: false, say: () => {}})
    try {
      const rows = await status(prepared, cluster, releases)
      this.document(flags.output, {environment: prepared.environment.name, releases: rows}, (palette) =>
        statusText(rows, palette),
      )
      // Of an operation that failed, or has not ended, the objects may be healthy all the same.
      const isWell = rows.every(({status, health}) => status === 'deployed' && health?.state === 'healthy')
      if (!isWell) process.exitCode = 1
    } finally {
      await cluster.close()
    }
  }
}

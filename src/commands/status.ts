import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  clusterFlags,
  environmentFlags,
  overrideFlags,
  ownerFlags,
  releasesArgument,
  streamFlags,
} from '../cli/flags.ts'
import {statusSubject, watch, withSecrets} from '../cli/status.ts'
import {statusText} from '../report/status/status-text.ts'
import {statusLines} from '../report/status/status-views.ts'
import {isWell} from '../verbs/observation/release-status.ts'
import {statusReader} from '../verbs/observation/status.ts'

export default class Status extends KkCommand {
  static override summary = 'Show each release of an environment as it is on the cluster.'
  static override description =
    'Revision, health with the reason, who works on it, who requires it, and whether a deploy would find other inputs than those that are deployed. Exits 1 when a release is not healthy.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> status environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> status environments/all-in-one.yaml keystone --sandbox --output json',
    '<%= config.bin %> status --owner all-in-one --sandbox',
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    watch: Flags.boolean({
      char: 'w',
      summary: 'Go on looking, until Ctrl-C: a table on a terminal, elsewhere a line for each change.',
    }),
    ...overrideFlags,
    ...clusterFlags,
    ...streamFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Status)
    const {output} = flags
    const {subject, cluster} = await statusSubject(flags, argv as string[])
    try {
      const read = statusReader(await withSecrets(subject, flags, cluster), cluster)
      const title = `${subject.owner} on ${cluster.context}`
      if (flags.watch) return await watch(read, cluster, {output, console: this.console, title})
      const report = await read()
      if (output === 'ndjson') statusLines(process.stdout, 'ndjson', 0)({at: new Date(), report})
      else this.console.document(output, report, (palette) => statusText(report.releases, palette))
      for (const note of report.notes) this.console.say(`note: ${note}`)
      if (!report.releases.every(isWell)) process.exitCode = 1
    } finally {
      await cluster.close()
    }
  }
}

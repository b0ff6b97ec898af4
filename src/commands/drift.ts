import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  changeFlags,
  clusterFlags,
  environmentFlags,
  helmFlags,
  ownerFlags,
  releasesArgument,
  streamFlags,
} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {chartsOfOwner, openOwner} from '../cli/open/owner.ts'
import {pruneLeftovers} from '../cli/run/prune.ts'
import {driftText} from '../report/drift/drift-text.ts'
import {hasDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'

export default class Drift extends KkCommand {
  static override summary = 'Show what on the cluster is not as the manifests of the releases say.'
  static override description =
    'The API server is asked, in a dry run, what an apply of each object of the last deployed revision would change; what controllers write does not count, and secrets are masked. Also shown: fields that somebody else manages, changed files in crds/, and what failed revisions have left behind, which --prune deletes after asking; without a terminal it needs --yes. A pruning leaves a record, which kk history shows.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> drift environments/all-in-one.yaml --sandbox',
    {
      description: 'What only failed revisions made, and what of it may go.',
      command: '<%= config.bin %> drift environments/all-in-one.yaml --sandbox --prune --dry-run',
    },
    '<%= config.bin %> drift keystone --owner all-in-one --sandbox --output json --detailed-exitcode',
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when something drifted.'}),
    prune: Flags.boolean({
      summary: 'Delete objects that only a failed revision made and helm has forgotten; never claims.',
      exclusive: ['detailed-exitcode'],
    }),
    yes: {...changeFlags.yes, dependsOn: ['prune']},
    'dry-run': {
      ...changeFlags['dry-run'],
      summary: 'With --prune: show what would be deleted, and change nothing.',
      dependsOn: ['prune'],
    },
    'no-wait': {...changeFlags['no-wait'], dependsOn: ['prune']},
    message: {...changeFlags.message, dependsOn: ['prune']},
    ...streamFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Drift)
    const owner = await openOwner(flags, argv as string[])
    const prepared = flags.prune ? undefined : await chartsOfOwner(owner, flags, this.console.say)
    const cluster = await openChosenCluster(flags, owner.environment, {start: false, say: () => {}})
    try {
      if (flags.prune) {
        process.exitCode = await pruneLeftovers({cluster, owner, flags, console: this.console})
        return
      }
      const drifts = await drift(cluster, {
        names: owner.words,
        owner: owner.name,
        environment: owner.environment,
        prepared,
      })
      const document = {environment: owner.name ?? null, releases: drifts}
      this.console.document(flags.output, document, (palette) => driftText(drifts, palette))
      if (drifts.some(({problem}) => problem !== undefined)) process.exitCode = 1
      else if (flags['detailed-exitcode'] && drifts.some(hasDrift)) process.exitCode = 4
    } finally {
      await cluster.close()
    }
  }
}

import {Flags} from '@oclif/core'
import {
  clusterFlags,
  documentFlags,
  environmentFlags,
  helmFlags,
  ownerFlags,
  releasesArgument,
} from '../cli/flags.ts'
import {chartsOfOwner} from '../cli/open/charts-of-owner.ts'
import {openOwner} from '../cli/open/owner.ts'
import {openChosenCluster} from '../cli/open.ts'
import {KkCommand} from '../cli/program/command.ts'
import {driftText} from '../report/drift/drift-text.ts'
import {hasDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'

export default class Drift extends KkCommand {
  static override summary = 'Show what on the cluster is not as the manifests of the releases say.'
  static override description =
    'The API server is asked, in a dry run, what an apply of each object of the last deployed revision would change; what controllers write does not count, and secrets are masked. Also shown: fields that somebody else manages, changed files in crds/, and what failed revisions have left behind.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> drift environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> drift keystone --owner all-in-one --sandbox --output json --detailed-exitcode',
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when something drifted.'}),
    ...documentFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Drift)
    const owner = await openOwner(flags, argv as string[])
    const prepared = await chartsOfOwner(owner, flags, (text) => this.say(text))
    const cluster = await openChosenCluster(flags, owner.environment, {start: false, say: () => {}})
    try {
      const drifts = await drift(cluster, {names: owner.words, owner: owner.name, prepared})
      const document = {environment: owner.name ?? null, releases: drifts}
      this.document(flags.output, document, (palette) => driftText(drifts, palette))
      if (drifts.some(({problem}) => problem !== undefined)) process.exitCode = 1
      else if (flags['detailed-exitcode'] && drifts.some(hasDrift)) process.exitCode = 4
    } finally {
      await cluster.close()
    }
  }
}

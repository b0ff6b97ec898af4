import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, ownerFlags} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {openOwner} from '../cli/open/owner.ts'
import {revisionsText, runsText} from '../report/history-text.ts'
import {releaseHistory, runHistory} from '../verbs/observation/history.ts'

export default class History extends KkCommand {
  static override summary = 'Show the runs of an environment, or the revisions of a release.'
  static override description =
    'Reads both from the cluster, so that every machine shows the same; no environment file is required. The cluster keeps the last 50 runs of each environment, and the revisions of each release that helm keeps.'
  static override usage = '[FILE] [RELEASE] [FLAGS]'
  static override examples = [
    'kk history environments/all-in-one.yaml --sandbox',
    'kk history --all --sandbox',
    'kk history keystone --owner all-in-one --sandbox',
  ]
  static override strict = false
  static override args = {
    release: argument({description: 'The release and the environment file, in any order.'}),
  }
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    all: Flags.boolean({summary: 'Show the runs of all environments on the cluster.', exclusive: ['owner']}),
    ...documentFlags,
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(History)
    const owner = await openOwner(flags, argv as string[])
    const [release, second] = owner.words
    if (second !== undefined) {
      throw new KkError('KK_USAGE', `kk history takes one release, but got ${owner.words.join(', ')}`, {
        hint: 'run kk history once for each release',
      })
    }
    await using cluster = await openChosenCluster(flags, owner.environment)
    if (release !== undefined) {
      const history = await releaseHistory(cluster, release, {
        owner: owner.name,
        environment: owner.environment,
      })
      this.console.document(flags.output, history, (palette) => revisionsText(history, palette))
      return
    }
    if (owner.name === undefined && !flags.all)
      this.console.say('no environment is named: showing the runs of all environments')
    const whose = flags.all ? {} : {owner: owner.name, environment: owner.environment}
    const runs = await runHistory(cluster.runs, whose)
    this.console.document(flags.output, {runs}, (palette) => runsText(runs, palette))
  }
}

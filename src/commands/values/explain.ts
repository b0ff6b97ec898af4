import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, renderFlags} from '../../cli/flags.ts'
import {openUsersHelm} from '../../cli/open/cluster.ts'
import {openValues} from '../../cli/open/open.ts'
import {storeHistory} from '../../cli/open/store.ts'
import {settingWarnings} from '../../prepare/settings/expect-settings.ts'
import {plainLine} from '../../report/text/plain.ts'
import {explainedBlocks, explainedDocument, explainedLines} from '../../report/values/explained-text.ts'
import {explainValues} from '../../verbs/explain.ts'
import {secretPathsOf} from '../../verbs/overrides/override-base.ts'

export default class ValuesExplain extends KkCommand {
  static override summary = 'Show where each value of a release comes from.'
  static override description =
    `Shows for every key of the final values the layer that set it, with file and line, and the overridden values. The layers
are, in order of increasing precedence: the defaults of the chart, feature files, system overrides, the environment, user
overrides, --values and --set. With a KEY, prints one line for each layer that sets it. Secrets are masked. Values that
violate the schema of the chart are explained with a warning.`
  static override usage = '[FILE] RELEASE [KEY] [FLAGS]'
  static override examples = [
    'kk values explain keystone -e environments/all-in-one.yaml',
    'kk values explain keystone pod.replicas -e environments/all-in-one.yaml',
    'kk values explain keystone -e environments/all-in-one.yaml --overridden --output json',
  ]
  static override strict = false
  static override args = {
    release: argument({description: 'The release.'}),
    key: argument({
      description: 'Only this key and the keys below it, such as pod.replicas; "\\." is a dot in a name.',
    }),
  }
  static override flags = {
    ...renderFlags,
    overridden: Flags.boolean({summary: 'Omit keys that only the defaults of charts set.'}),
    'show-secrets': Flags.boolean({summary: 'Show secrets unmasked.'}),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ValuesExplain)
    const {prepared, releases: words} = await openValues(flags, argv as string[], this.console.say)
    const [release, key, ...more] = words
    if (release === undefined || more.length > 0) {
      throw new KkError('KK_USAGE', `expected a release and at most one key, got ${words.length} words`, {
        hint: 'for example: kk values explain keystone pod.replicas',
      })
    }
    const explained = await explainValues(prepared, await openUsersHelm(flags), {
      release,
      ...(key !== undefined && {key}),
      overridden: flags.overridden,
      showSecrets: flags['show-secrets'],
      historyOf: storeHistory(flags, prepared.environment),
      secretPaths: secretPathsOf(prepared.plugins),
    })
    for (const line of await settingWarnings(prepared)) this.console.say(line)
    if (explained.broken) this.console.say(`warning: ${plainLine(explained.broken.message)}`)
    const document = explainedDocument(explained.release, explained.keys)
    const show = key === undefined ? explainedLines : explainedBlocks
    this.console.document(flags.output, document, (palette) => show(explained.keys, palette))
  }
}

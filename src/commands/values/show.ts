import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {renderFlags} from '../../cli/flags.ts'
import {lazyCluster, namesCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openValues} from '../../cli/open/open.ts'
import {openSecrets} from '../../cli/open/secrets.ts'
import {showSecretsFlag} from '../../cli/overrides/flags.ts'
import {settingWarnings} from '../../prepare/settings/expect-settings.ts'
import {documentText} from '../../report/document.ts'
import {showSecretValues, showValues} from '../../verbs/values.ts'

export default class ValuesShow extends KkCommand {
  static override summary = 'Show the values that kk passes to helm for a release.'
  static override description =
    'Merges all layers above the defaults of the chart: feature files, system overrides, the environment, user overrides, --values and --set. ' +
    'With --computed, shows the final values as helm computes them from these and the chart. Secrets are masked; use --show-secrets to pass the output to helm. With --secrets, shows only the secrets, including those that kk generates and stores: the values that kk export omits.'
  static override usage = '[FILE] RELEASE [FLAGS]'
  static override examples = [
    'kk values show keystone -e environments/all-in-one.yaml',
    'kk values show environments/all-in-one.yaml keystone --computed --output json',
    'kk values show keystone -e environments/all-in-one.yaml --show-secrets',
  ]
  static override strict = false
  static override args = {release: argument({description: 'The release.'})}
  static override flags = {
    ...renderFlags,
    computed: Flags.boolean({
      summary: 'The final values as computed by helm, with the defaults of the chart.',
    }),
    secrets: Flags.boolean({
      summary: 'Only secret values, including those stored in the named cluster or in the override store.',
      exclusive: ['computed'],
    }),
    ...showSecretsFlag,
    output: Flags.option({
      char: 'o',
      summary: 'The output format.',
      options: ['yaml', 'json'] as const,
      default: 'yaml',
    })(),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ValuesShow)
    const {prepared, releases} = await openValues(flags, argv as string[], this.console.say)
    const [release, ...more] = releases
    if (release === undefined || more.length > 0) {
      throw new KkError('KK_USAGE', `expected one release, got ${releases.length}`, {
        hint: 'for example: kk values show keystone',
      })
    }
    const showSecrets = flags['show-secrets']
    if (flags.secrets) {
      await using cluster = lazyCluster(flags, prepared.environment)
      const supplied = await openSecrets(
        prepared,
        flags,
        namesCluster(flags) ? await cluster.open() : undefined,
      )
      const secrets = await showSecretValues(prepared, {release, supplied, showSecrets})
      this.console.print(documentText(secrets, flags.output))
      return
    }
    const shown = await showValues(prepared, {
      release,
      helm: flags.computed ? await openUsersHelm(flags) : undefined,
      showSecrets,
    })
    for (const line of await settingWarnings(prepared, {keys: true})) this.console.say(line)
    for (const layer of shown.layers) this.console.say(`layer: ${layer}`)
    this.console.print(documentText(shown.values, flags.output))
  }
}

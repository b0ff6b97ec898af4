import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {renderFlags} from '../../cli/flags.ts'
import {lazyCluster, namesCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openValues} from '../../cli/open/open.ts'
import {openSecrets} from '../../cli/open/secrets.ts'
import {showSecretsFlag} from '../../cli/overrides/flags.ts'
import {documentText} from '../../report/document.ts'
import {showSecretValues, showValues} from '../../verbs/values.ts'

export default class ValuesShow extends KkCommand {
  static override summary = 'Show the values that helm will get for a release.'
  static override description =
    'All layers above the defaults of the chart, merged: feature files, system overrides, the environment, user overrides, --values and --set. ' +
    'With --computed, the final values as Helm itself computes them from these and the chart. Secrets are masked: what helm may have needs --show-secrets. With --secrets, the secrets alone, also those that kk makes and keeps: what kk export leaves out.'
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
    computed: Flags.boolean({summary: "Helm's own final values, with the defaults of the chart."}),
    secrets: Flags.boolean({
      summary: 'Only the values that are secret, with those that the named cluster, or the store, keeps.',
      exclusive: ['computed'],
    }),
    ...showSecretsFlag,
    output: Flags.option({
      summary: 'The form of the output.',
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
    for (const layer of shown.layers) this.console.say(`layer: ${layer}`)
    this.console.print(documentText(shown.values, flags.output))
  }
}

import {existsSync} from 'node:fs'
import {homedir} from 'node:os'
import {join} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, environmentFlags, helmFlags} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {openEnvironmentIfAny} from '../../cli/open/open.ts'
import {explainedChartText} from '../../report/charts/charts-text.ts'
import {explainChart} from '../../verbs/charts/explain-chart.ts'

export default class ChartsExplain extends KkCommand {
  static override summary = 'Show what each component of a chart requires, and which value enables it.'
  static override description =
    'Reads Chart.yaml (kk.openstack.org/requires) and values that follow the conventions of openstack-helm (dependencies, endpoints, manifests); renders nothing. The result is only a preview: kk deploys by the requirements of the rendered chart, which kk graph why shows. With an environment, merges the values of its section over those of the chart.'
  static override examples = [
    'kk charts explain ../openstack-helm/nova',
    'kk charts explain nova -e cloud.yaml',
    'kk charts explain oci://registry.example.org/openstack/keystone --version 0.1.0',
  ]
  static override args = {
    chart: argument({
      description:
        'The directory of a chart, a chart package, the location of a published chart (oci://HOST/PATH/NAME, https://HOST/PATH/NAME, DIRECTORY/NAME), the name of a chart of kk or, with an environment, the name of a release.',
      required: true,
    }),
  }
  static override flags = {
    verify: Flags.boolean({
      summary: 'Refuse a published chart that is not signed by a key of the keyring.',
    }),
    keyring: Flags.string({
      summary:
        'A file of public keys, as written by gpg --export (default: ~/.gnupg/pubring.gpg, like helm).',
      helpValue: 'FILE',
      dependsOn: ['verify'],
    }),
    version: Flags.string({
      summary: 'The version of a published chart (default: the newest).',
      helpValue: 'VERSION',
    }),
    ...environmentFlags,
    ...helmFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsExplain)
    const environment = await openEnvironmentIfAny(flags, [])
    await using finding = openFinding(flags.helm)
    const {version, verify, keyring = join(homedir(), '.gnupg/pubring.gpg')} = flags
    if (verify && !existsSync(keyring))
      throw new KkError('KK_FILE', `${keyring}, the keyring that verifies charts, does not exist`, {
        hint: 'write public keys into a file with gpg --export KEY > keys.gpg, and pass it as --keyring',
      })
    const explained = await explainChart({
      ...{chart: args.chart, version, environment, finding},
      ...(verify && {keyring}),
    })
    this.console.document(flags.output, explained, (palette) => explainedChartText(explained, palette))
  }
}

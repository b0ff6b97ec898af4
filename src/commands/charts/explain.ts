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
  static override summary = 'Say which component of a chart requires what, and which switch turns it on.'
  static override description =
    'Reads what Chart.yaml states (kk.openstack.org/requires) and values in the dialect of openstack-helm (dependencies, endpoints, manifests), and renders nothing: a preview, by the names of charts. What counts is what the rendered chart says: see kk graph why. With an environment, the values of its section are laid over those of the chart.'
  static override examples = [
    'kk charts explain ../openstack-helm/nova',
    'kk charts explain nova -e cloud.yaml',
    'kk charts explain oci://registry.example.org/openstack/keystone --version 0.1.0',
  ]
  static override args = {
    chart: argument({
      description:
        'The directory of a chart, its package, where one is published (oci://HOST/PATH/NAME, https://HOST/PATH/NAME, DIRECTORY/NAME), the name of a chart of kk or, with an environment, of a release.',
      required: true,
    }),
  }
  static override flags = {
    verify: Flags.boolean({
      summary: 'Of a published chart: refuse one that is not signed by a key of the keyring.',
    }),
    keyring: Flags.string({
      summary: 'A file of public keys, as gpg --export writes it (default: ~/.gnupg/pubring.gpg, as helm).',
      helpValue: 'FILE',
      dependsOn: ['verify'],
    }),
    version: Flags.string({summary: 'Of a published chart; by default the newest.', helpValue: 'VERSION'}),
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
      throw new KkError('KK_FILE', `${keyring}, by whose keys charts are verified, is not there`, {
        hint: 'gpg --export KEY > keys.gpg writes public keys into a file: name it with --keyring',
      })
    const explained = await explainChart({
      ...{chart: args.chart, version, environment, finding},
      ...(verify && {keyring}),
    })
    this.console.document(flags.output, explained, (palette) => explainedChartText(explained, palette))
  }
}

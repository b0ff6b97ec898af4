import {Args} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, environmentFlags} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {openEnvironmentIfAny} from '../../cli/open/open.ts'
import {explainedChartText} from '../../report/charts/charts-text.ts'
import {explainChart} from '../../verbs/charts/explain-chart.ts'

export default class ChartsExplain extends KkCommand {
  static override summary = 'Say which component of a chart requires what, and which switch turns it on.'
  static override description =
    'Reads values in the dialect of openstack-helm (dependencies, endpoints, manifests) and renders nothing: a preview, by the names of charts. What counts is what the rendered chart says: see kk graph why. With an environment, the values of its section are laid over those of the chart.'
  static override examples = [
    '<%= config.bin %> charts explain ../openstack-helm/nova',
    '<%= config.bin %> charts explain nova -e cloud.yaml',
  ]
  static override args = {
    chart: Args.string({
      description: 'The directory of a chart or, with an environment, the name of a release.',
      required: true,
    }),
  }
  static override flags = {...environmentFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsExplain)
    const environment = await openEnvironmentIfAny(flags, [])
    await using finding = openFinding(undefined)
    const explained = await explainChart({chart: args.chart, environment, finding})
    this.console.document(flags.output, explained, (palette) => explainedChartText(explained, palette))
  }
}

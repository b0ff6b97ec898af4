import {Args, Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {packagesText} from '../../report/charts/charts-text.ts'
import {packageCharts} from '../../verbs/charts/package-charts.ts'

export default class ChartsPackage extends KkCommand {
  static override summary = 'Pack charts, each with its library inside, as helm installs them.'
  static override description =
    "The bytes of a package follow from the content of the chart alone, on every machine. Without names all of kk's own charts are packed."
  static override usage = '[CHART...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> charts package --output-dir packages',
    '<%= config.bin %> charts package keystone --version 1.2.3 --output-dir packages',
  ]
  static override args = {
    charts: Args.string({
      description: "Names of kk's own charts, and directories of charts.",
      multiple: true,
    }),
  }
  static override flags = {
    version: Flags.string({
      summary: 'The version of the packages, instead of that in Chart.yaml.',
      helpValue: 'VERSION',
    }),
    'output-dir': Flags.string({summary: 'The directory to write to.', helpValue: 'DIR', default: '.'}),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsPackage)
    const {version, 'output-dir': directory} = flags
    await using finding = openFinding(undefined)
    const packages = await packageCharts({charts: args.charts ?? [], version, directory, finding})
    this.console.document(flags.output, {packages}, (palette) => packagesText(packages, palette))
  }
}

import {argument} from '../../../cli/argument.ts'
import {KkCommand} from '../../../cli/command.ts'
import {documentFlags, helmFlags} from '../../../cli/flags.ts'
import {openRendering} from '../../../cli/open/charts.ts'
import {indexText} from '../../../report/charts/charts-text.ts'
import {indexCharts} from '../../../verbs/charts/index-charts.ts'

export default class ChartsIndex extends KkCommand {
  static override summary =
    'Note what each chart of a directory provides, so that kk adds the ones that others need.'
  static override description =
    'Renders every chart with its default values, and keeps in the cache which Services, Secrets, kinds and other objects it makes. An environment that names the directory in kk.charts then grows by the charts that its releases are found to require. Charts that did not change are not rendered again.'
  static override examples = ['kk charts index ../openstack-helm']
  static override args = {
    directory: argument({description: 'A directory of charts, as kk.charts names it.', required: true}),
  }
  static override flags = {...helmFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsIndex)
    const rendering = openRendering(flags.helm)
    const indexed = await indexCharts({directory: args.directory, rendering})
    this.console.document(flags.output, indexed, (palette) => indexText(indexed, palette))
  }
}

import {argument} from '../../../cli/argument.ts'
import {KkCommand} from '../../../cli/command.ts'
import {documentFlags, helmFlags} from '../../../cli/flags.ts'
import {openRendering} from '../../../cli/open/charts.ts'
import {indexText} from '../../../report/charts/charts-text.ts'
import {indexCharts} from '../../../verbs/charts/index-charts.ts'

export default class ChartsIndex extends KkCommand {
  static override summary =
    'Index what each chart of a directory provides, so that kk can add the charts that others require.'
  static override description =
    'Renders every chart with its default values and caches which Services, Secrets, CRDs and other objects it creates. If an environment lists the directory in kk.charts, kk then adds the charts that its releases require. Unchanged charts are not rendered again.'
  static override examples = ['kk charts index ../openstack-helm']
  static override args = {
    directory: argument({description: 'A directory of charts, as listed in kk.charts.', required: true}),
  }
  static override flags = {...helmFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsIndex)
    const rendering = openRendering(flags.helm)
    const indexed = await indexCharts({directory: args.directory, rendering})
    this.console.document(flags.output, indexed, (palette) => indexText(indexed, palette))
  }
}

import {KkCommand} from '../cli/command.ts'
import {documentFlags} from '../cli/flags.ts'
import {overridesFlags} from '../cli/overrides/flags.ts'
import {onOverrides} from '../cli/overrides/open-overrides.ts'
import {chartTable} from '../report/overrides/overrides-text.ts'

export default class HelmOverrideList extends KkCommand {
  static override summary = 'kk overrides list, printed as StarlingX prints it.'
  static override examples = ['kk helm-override-list -e environments/all-in-one.yaml']
  static override flags = {...documentFlags, ...overridesFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(HelmOverrideList)
    const charts = await onOverrides(flags, {changes: false, say: () => {}}, (service) => service.charts())
    this.console.document(flags.output, {charts}, () => [chartTable(charts)])
  }
}

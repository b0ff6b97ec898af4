import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {overridesFlags} from '../../cli/overrides/flags.ts'
import {withOverrides} from '../../cli/overrides/open-overrides.ts'
import {chartsText} from '../../report/overrides/overrides-text.ts'

export default class OverridesList extends KkCommand {
  static override summary = 'List the charts whose values can be overridden, with their namespaces.'
  static override description: string | undefined =
    'Lists the charts of the environment that -e specifies, or else those under charts: in the facts file.'
  static override examples = [
    'kk overrides list -e environments/all-in-one.yaml',
    'kk overrides list -e environments/all-in-one.yaml --output json',
  ]
  static override flags = {...documentFlags, ...overridesFlags}

  protected readonly text: typeof chartsText = chartsText

  override async run(): Promise<void> {
    const {flags} = await this.parse(OverridesList)
    const charts = await withOverrides(flags, {changes: false, say: () => {}}, (service) => service.charts())
    this.console.document(flags.output, {charts}, (palette) => this.text(charts, palette))
  }
}

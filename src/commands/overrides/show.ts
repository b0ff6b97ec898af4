import {KkCommand} from '../../cli/command.ts'
import {optionalPlaceArguments, showFlags} from '../../cli/overrides/flags.ts'
import {showOverrides} from '../../cli/overrides/show.ts'
import type {ShownOverrides} from '../../overrides/service.ts'
import type {Palette} from '../../report/colour.ts'
import {overridesDocument, overridesText} from '../../report/overrides/overrides-text.ts'
import {blocks, type View} from '../../report/text/view.ts'

export default class OverridesShow extends KkCommand {
  static override summary = 'Show the overrides of a chart: system, user, and combined.'
  static override description: string | undefined =
    'Combined overrides merge every layer above the defaults of the chart: with -e also feature files, the section and global. Secrets are masked. --format prints only the combined overrides, for helm or Armada; if they contain a secret, --show-secrets is required. Specify several charts as CHART:NAMESPACE; in the format helm, each becomes a file in the directory --file.'
  static override usage = 'CHART NAMESPACE [FLAGS]'
  static override examples = [
    'kk overrides show rabbitmq openstack -e environments/all-in-one.yaml',
    'kk overrides show rabbitmq openstack -e environments/all-in-one.yaml --format helm --show-secrets --file rabbitmq.yaml',
    'kk overrides show --all -e environments/all-in-one.yaml --format armada --show-secrets --file overrides.yaml',
  ]
  static override strict = false
  static override args = optionalPlaceArguments
  static override flags = showFlags

  protected text(charts: readonly ShownOverrides[], palette: Palette): View {
    return blocks(charts.map((chart) => overridesText(chart, palette)))
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(OverridesShow)
    const shown = await showOverrides(argv as string[], flags, this.console.say)
    if (shown.kind === 'text') return this.console.print(shown.text)
    const documents = shown.charts.map(overridesDocument)
    this.console.document(flags.output, documents.length === 1 ? documents[0] : documents, (palette) =>
      this.text(shown.charts, palette),
    )
  }
}

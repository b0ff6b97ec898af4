import {KkCommand} from '../cli/command.ts'
import {optionalPlaceArguments, showFlags} from '../cli/overrides/flags.ts'
import {showOverrides} from '../cli/overrides/show.ts'
import {overridesDocument, propertyTable} from '../report/overrides/overrides-text.ts'

export default class HelmOverrideShow extends KkCommand {
  static override summary = 'kk overrides show, printed as StarlingX prints it.'
  static override usage = 'CHART NAMESPACE [FLAGS]'
  static override examples = [
    'kk helm-override-show rabbitmq openstack -e environments/all-in-one.yaml',
    'kk helm-override-show rabbitmq openstack -e environments/all-in-one.yaml --format armada --show-secrets --file=rabbitmq.yaml',
  ]
  static override strict = false
  static override args = optionalPlaceArguments
  static override flags = showFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(HelmOverrideShow)
    const shown = await showOverrides(argv as string[], flags, this.console.say)
    if (shown.kind === 'text') return this.console.print(shown.text)
    const documents = shown.charts.map(overridesDocument)
    this.console.document(flags.output, documents.length === 1 ? documents[0] : documents, () =>
      documents.map(propertyTable),
    )
  }
}

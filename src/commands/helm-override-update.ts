import {KkCommand} from '../cli/command.ts'
import {updateChart} from '../cli/overrides/change.ts'
import {placeArguments, updateFlags} from '../cli/overrides/flags.ts'
import {changeText, propertyTable, updatedDocument} from '../report/overrides/overrides-text.ts'

export default class HelmOverrideUpdate extends KkCommand {
  static override summary = 'kk overrides update, printed as StarlingX prints it.'
  static override examples = [
    'kk helm-override-update rabbitmq openstack -e environments/all-in-one.yaml --reuse-values --set pod.replicas=2',
  ]
  static override args = placeArguments
  static override flags = updateFlags

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(HelmOverrideUpdate)
    const named = {name: args.chart, namespace: args.namespace}
    const change = await updateChart(named, flags, this.console.say)
    if (flags['dry-run']) {
      this.console.document(flags.output, change, (palette) => changeText(change, palette))
      return
    }
    const updated = updatedDocument({
      name: change.name,
      namespace: change.namespace,
      userOverrides: change.after,
    })
    this.console.document(flags.output, updated, () => [propertyTable(updated)])
  }
}

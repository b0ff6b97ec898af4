import {KkCommand} from '../cli/command.ts'
import {deleteOfChart} from '../cli/overrides/change.ts'
import {deleteFlags, placeArguments} from '../cli/overrides/flags.ts'
import {changeText, deletedText} from '../report/overrides/overrides-text.ts'

export default class HelmOverrideDelete extends KkCommand {
  static override summary = 'kk overrides delete, printed as StarlingX prints it.'
  static override examples = ['kk helm-override-delete rabbitmq openstack -e environments/all-in-one.yaml']
  static override args = placeArguments
  static override flags = deleteFlags

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(HelmOverrideDelete)
    const named = {name: args.chart, namespace: args.namespace}
    const {place, change} = await deleteOfChart(named, flags, this.console.say)
    this.console.document(flags.output, change ?? {...place, deleted: true}, (palette) =>
      change ? changeText(change, palette) : deletedText(place.name, place.namespace),
    )
  }
}

import {KkCommand} from '../../cli/command.ts'
import {deleteOfChart} from '../../cli/overrides/change.ts'
import {deleteFlags, placeArguments} from '../../cli/overrides/flags.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import {changeText} from '../../report/overrides/overrides-text.ts'

export default class OverridesDelete extends KkCommand {
  static override summary = "Delete the deployer's overrides of a chart; those of the system stay."
  static override description: string | undefined =
    'Succeeds when there are none, too. kk overrides history still has them. Nothing on the cluster changes before the next kk deploy or kk upgrade.'
  static override examples = [
    'kk overrides delete rabbitmq openstack -e environments/all-in-one.yaml --dry-run',
    'kk overrides delete rabbitmq openstack -e environments/all-in-one.yaml',
  ]
  static override args = placeArguments
  static override flags = deleteFlags

  protected deletedText({name, namespace}: ChartPlace): string {
    return `deleted the user overrides of ${name} in ${namespace}\n`
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(OverridesDelete)
    const named = {name: args.chart, namespace: args.namespace}
    const {place, change} = await deleteOfChart(named, flags, this.console.say)
    this.console.document(flags.output, change ?? {...place, deleted: true}, (palette) =>
      change ? changeText(change, palette) : this.deletedText(place),
    )
  }
}

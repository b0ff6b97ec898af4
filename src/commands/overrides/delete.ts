import {KkCommand} from '../../cli/command.ts'
import {deleteOverrides} from '../../cli/overrides/change.ts'
import {deleteFlags, placeArguments} from '../../cli/overrides/flags.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import {changeText} from '../../report/overrides/overrides-text.ts'

export default class OverridesDelete extends KkCommand {
  static override summary = "Delete the deployer's overrides of a chart; system overrides stay."
  static override description: string | undefined =
    'Also succeeds if there are none. kk overrides history keeps them. Nothing on the cluster changes before the next kk deploy or kk upgrade.'
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
    const {place, change} = await deleteOverrides(named, flags, this.console.say)
    this.console.document(flags.output, change ?? {...place, deleted: true}, (palette) =>
      change ? changeText(change, palette) : this.deletedText(place),
    )
  }
}

import {KkCommand} from '../../cli/command.ts'
import {updateChart} from '../../cli/overrides/change.ts'
import {placeArguments, updateFlags} from '../../cli/overrides/flags.ts'
import {changeText, updatedDocument, updatedText} from '../../report/overrides/overrides-text.ts'

export default class OverridesUpdate extends KkCommand {
  static override summary = "Set the deployer's overrides of a chart."
  static override description: string | undefined =
    'User overrides take precedence over the environment. The new overrides replace the stored ones; with --reuse-values they are merged: maps are merged, other values replaced. Only the overrides themselves are stored. Nothing on the cluster changes before the next kk deploy or kk upgrade, whose plan shows the change.'
  static override examples = [
    'kk overrides update rabbitmq openstack -e environments/all-in-one.yaml --set pod.replicas.server=3',
    'kk overrides update rabbitmq openstack -e environments/all-in-one.yaml --reuse-values --set-string pod.env.server.ERL_MAX_PORTS=65536 --dry-run',
  ]
  static override args = placeArguments
  static override flags = updateFlags

  protected readonly text: typeof updatedText = updatedText

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(OverridesUpdate)
    const named = {name: args.chart, namespace: args.namespace}
    const change = await updateChart(named, flags, this.console.say)
    if (flags['dry-run']) {
      this.console.document(flags.output, change, (palette) => changeText(change, palette))
      return
    }
    const updated = {name: change.name, namespace: change.namespace, userOverrides: change.after}
    this.console.document(flags.output, updatedDocument(updated), (palette) => this.text(updated, palette))
  }
}

import {KkCommand} from '../../cli/command.ts'
import {requireConfirmation} from '../../cli/console.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {deadline, waitFlags} from '../../cli/operator/with-cluster.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {environmentNames, uninstallOperator} from '../../operator/install/uninstall.ts'

export default class OperatorUninstall extends KkCommand {
  static override summary = 'Uninstall the operator; all releases stay unchanged.'
  static override description =
    'Waits for running actions to finish, like kk operator pause, then deletes its Deployment, its roles, its CRDs and with them every Environment. Releases, their records, ConfigMaps and Secrets stay: the command line manages the environments again.'
  static override examples = ['kk operator uninstall --sandbox --yes']
  static override flags = {
    ...waitFlags,
    yes: changeFlags.yes,
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(OperatorUninstall)
    const until = deadline(flags)
    await using cluster = await openChosenCluster(flags, undefined)
    const names = await environmentNames(cluster)
    const listed =
      names.length === 0
        ? ''
        : `, with ${names.length === 1 ? 'its Environment' : 'its Environments'} ${names.join(', ')},`
    const question = `uninstall the operator${listed} from ${cluster.context}?`
    if (!flags.yes) await requireConfirmation(question, 'pass --yes')
    await uninstallOperator(cluster, {until})
    this.console.say('the operator is uninstalled; all releases are unchanged')
  }
}

import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {requireConfirmation} from '../../cli/console.ts'
import {clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {uninstallOperator} from '../../operator/install/install.ts'

export default class OperatorUninstall extends KkCommand {
  static override summary = 'Take the operator away, and leave every release as it is.'
  static override description =
    'Deletes its Deployment, its roles, its kinds and with them every Environment. Releases, their records, ConfigMaps and Secrets stay: the command line drives the environments again.'
  static override examples = ['<%= config.bin %> operator uninstall --namespace openstack --sandbox --yes']
  static override flags = {
    namespace: Flags.string({
      summary: 'A namespace in which it could deploy; may be repeated.',
      helpValue: 'NAME',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
    }),
    yes: changeFlags.yes,
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(OperatorUninstall)
    await using cluster = await openChosenCluster(flags, undefined)
    const question = `take the operator and every Environment from ${cluster.context}?`
    if (!flags.yes) await requireConfirmation(question, 'pass --yes')
    await uninstallOperator([...new Set(flags.namespace)], cluster)
    this.console.say('the operator is gone; every release is as it was')
  }
}

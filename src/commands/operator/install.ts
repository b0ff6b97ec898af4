import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {changeFlags, clusterFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {installOperator, operatorObjects} from '../../operator/install.ts'

export default class OperatorInstall extends KkCommand {
  static override summary = 'Install the operator in the cluster, or bring it up to date.'
  static override description =
    'Applies its kinds, its roles and its Deployment in kk-system. It may deploy in the namespaces that are named, and nowhere else. With --dry-run the objects are printed as JSON, for kubectl apply or for Git; nothing is changed.'
  static override examples = [
    '<%= config.bin %> operator install --image registry.example.org/kk:1 --namespace openstack --sandbox --dry-run',
  ]
  static override flags = {
    image: Flags.string({
      summary: 'The image of kk, which has helm in it.',
      helpValue: 'IMAGE',
      required: true,
    }),
    namespace: Flags.string({
      summary: 'A namespace in which it may deploy; may be repeated.',
      helpValue: 'NAME',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
    }),
    removal: Flags.boolean({
      summary:
        'Let it remove what an approved plan says; for that it may read the Secrets of all namespaces.',
    }),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(OperatorInstall)
    const {image, namespace, removal} = flags
    const options = {image, namespaces: [...new Set(namespace)], removes: removal}
    if (flags['dry-run']) {
      const list = {apiVersion: 'v1', kind: 'List', items: operatorObjects(options)}
      return this.console.print(JSON.stringify(list, undefined, 2))
    }
    await using cluster = await openChosenCluster(flags, undefined)
    if (!flags.yes && canAsk()) await confirm(`install the operator on ${cluster.context}?`)
    const isGuarded = await cluster.guard.supported()
    await installOperator({...options, isGuarded}, cluster.objects)
    this.console.say(`the operator is installed on ${cluster.context}; to see it: kk operator status`)
  }
}

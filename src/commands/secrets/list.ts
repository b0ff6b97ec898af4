import {KkCommand} from '../../cli/command.ts'
import {openPlugins} from '../../cli/open/layers.ts'
import {prepareEnvironment} from '../../cli/open/open.ts'
import {namedEnvironment} from '../../cli/overrides/open-overrides.ts'
import {namespaceFlag, onKeeper, secretsFlags} from '../../cli/secrets.ts'
import {secretsText} from '../../report/secrets/secrets-text.ts'
import {listSecrets, secretReaders, secretUses} from '../../verbs/secrets/list-secrets.ts'

export default class SecretsList extends KkCommand {
  static override summary = 'List the passwords and keys that kk keeps: names, kinds, ages, never values.'
  static override description =
    'What no layer of values states, kk makes when it is first needed. One per name and namespace, shared by all charts that read it. With an environment (-e), the releases that get each; else the charts that are known to read it.'
  static override examples = [
    'kk secrets list --sandbox',
    'kk secrets list --sandbox --namespace openstack --output json',
    'kk secrets list --in store',
    'kk secrets list -e environments/all-in-one.yaml --sandbox',
  ]
  static override flags = {...namespaceFlag, ...secretsFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(SecretsList)
    const uses = await secretUses(await openPlugins(flags))
    const environment = await namedEnvironment(flags)
    const readers = environment && (await secretReaders(await prepareEnvironment(environment, flags)))
    const kept = await onKeeper(flags, {changes: false, say: this.console.say}, (keeper) => keeper.list())
    const isMeant = ({namespace}: {readonly namespace: string}) =>
      flags.namespace === undefined || namespace === flags.namespace
    const secrets = listSecrets(kept, flags.in, uses, readers).filter(isMeant)
    this.console.document(flags.output, {secrets}, () => secretsText(secrets))
  }
}

import {KkCommand} from '../../cli/command.ts'
import {openPlugins} from '../../cli/open/layers.ts'
import {prepareEnvironment} from '../../cli/open/open.ts'
import {namedEnvironment} from '../../cli/overrides/open-overrides.ts'
import {namespaceFlag, secretsFlags, withSecretStore} from '../../cli/secrets.ts'
import {secretsText} from '../../report/secrets/secrets-text.ts'
import {listSecrets, secretReaders, secretUses} from '../../verbs/secrets/list-secrets.ts'

export default class SecretsList extends KkCommand {
  static override summary = 'List the passwords and keys that kk stores: names, kinds and ages, never values.'
  static override description =
    'kk generates a secret on first use if no layer of values sets it. There is one per name and namespace, shared by all charts that read it. With an environment (-e), shows the releases that get each secret; otherwise the charts that read it.'
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
    const stored = await withSecretStore(flags, {changes: false, say: this.console.say}, (store) =>
      store.list(),
    )
    const isSelected = ({namespace}: {readonly namespace: string}) =>
      flags.namespace === undefined || namespace === flags.namespace
    const secrets = listSecrets(stored, flags.in, uses, readers).filter(isSelected)
    this.console.document(flags.output, {secrets}, () => secretsText(secrets))
  }
}

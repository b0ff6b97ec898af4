import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {namespaceFlag, secretsFlags, withSecretStore} from '../../cli/secrets.ts'

const {output: _, plugins: __, ...flags} = secretsFlags

export default class SecretsShow extends KkCommand {
  static override summary = 'Print the value of one password or key that kk stores.'
  static override description =
    'Prints only the value, on standard output. Secrets that the environment file sets are not stored: see kk values show --secrets.'
  static override examples = [
    'kk secrets show identity.admin.password --sandbox',
    'kk secrets show identity.admin.password --sandbox --namespace openstack',
    'kk secrets show identity.admin.password --in store',
  ]
  static override args = {
    name: argument({description: 'The name of the secret, as shown by kk secrets list.', required: true}),
  }
  static override flags = {...namespaceFlag, ...flags}

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(SecretsShow)
    const {name} = args
    const stored = await withSecretStore(flags, {changes: false, say: this.console.say}, (store) =>
      store.list(),
    )
    const isSelected = (namespace: string) => flags.namespace === undefined || namespace === flags.namespace
    const selected = [...stored].filter(([namespace]) => isSelected(namespace))
    const found = selected.filter(([, secrets]) => secrets.has(name))
    const [only, ...others] = found
    if (!only) {
      const close = suggest(
        name,
        selected.flatMap(([, secrets]) => [...secrets.keys()]),
      )
      throw new KkError('KK_USAGE', `the secret ${name} is not kept in the ${flags.in}`, {
        hint: close === undefined ? 'see kk secrets list' : `did you mean ${close}?`,
      })
    }
    if (others.length > 0) {
      const namespaces = found.map(([namespace]) => namespace)
      throw new KkError('KK_USAGE', `several namespaces have the secret ${name}: ${namespaces.join(', ')}`, {
        hint: `name one of them with --namespace, e.g. --namespace ${namespaces[0]}`,
      })
    }
    this.console.print(only[1].get(name)!.value)
  }
}

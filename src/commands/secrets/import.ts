import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {requireConfirmation} from '../../cli/console.ts'
import {openPlugins} from '../../cli/open/layers.ts'
import {namespaceFlag, onKeeper, secretsFlags} from '../../cli/secrets.ts'
import {readKollaPasswords} from '../../exchange/kolla/passwords.ts'
import {importText} from '../../report/secrets/secrets-text.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {importSecrets} from '../../verbs/secrets/import-secrets.ts'
import {secretUses} from '../../verbs/secrets/list-secrets.ts'

export default class SecretsImport extends KkCommand {
  static override summary = "Keep the passwords of kolla's passwords.yml, instead of making new ones."
  static override description =
    'What is kept already stays, unless --replace is given. Names that no chart of kk uses are listed and left out. No release is changed: what uses a new value gets it with the next upgrade.'
  static override examples = [
    'kk secrets import passwords.yml --sandbox --dry-run',
    'kk secrets import passwords.yml --sandbox --namespace openstack',
  ]
  static override args = {file: argument({description: "Kolla's passwords.yml.", required: true})}
  static override flags = {
    ...namespaceFlag,
    namespace: Flags.string({
      summary: 'The namespace of the releases.',
      helpValue: 'NAME',
      default: 'openstack',
    }),
    replace: Flags.boolean({summary: 'Replace what is kept by what the file has.'}),
    'changed-by-hand': Flags.boolean({
      summary: 'What is replaced was changed by hand where no upgrade does it, as in the database.',
      dependsOn: ['replace'],
    }),
    yes: Flags.boolean({char: 'y', summary: 'Needed with --replace, where nobody can be asked.'}),
    'dry-run': Flags.boolean({summary: 'Show what would be kept, and change nothing.'}),
    ...secretsFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(SecretsImport)
    const hint = 'check the path and its permissions; nothing was changed'
    const text = await readNamedFile(args.file, {hint})
    const passwords = readKollaPasswords(text, args.file)
    const uses = await secretUses(await openPlugins(flags))
    const {namespace, replace, 'dry-run': dryRun} = flags
    // What the cluster keeps wins over the store: nobody has the store's value yet.
    const byHand = flags['changed-by-hand'] || flags.in === 'store'
    const purpose = {changes: !dryRun, say: this.console.say}
    const imported = await onKeeper(flags, purpose, async (keeper) => {
      const options = {namespace, replace, byHand, uses}
      const foreseen = await importSecrets(passwords, keeper, {...options, dryRun: true})
      if (dryRun) return foreseen
      const replaces = foreseen.secrets.some(({outcome}) => outcome === 'replaced')
      if (replaces && !flags.yes) {
        this.console.say(importText(foreseen, {isForeseen: true}))
        const hint = 'look at what would be replaced above, then pass --yes'
        await requireConfirmation('replace these? Their former values are lost.', hint)
      }
      return importSecrets(passwords, keeper, {...options, dryRun: false})
    })
    this.console.document(flags.output, {dryRun, ...imported}, () =>
      importText(imported, {isForeseen: dryRun}),
    )
  }
}

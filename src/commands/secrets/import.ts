import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {requireConfirmation} from '../../cli/console.ts'
import {openPlugins} from '../../cli/open/layers.ts'
import {namespaceFlag, secretsFlags, withSecretStore} from '../../cli/secrets.ts'
import {readKollaPasswords} from '../../exchange/kolla/passwords.ts'
import {importText} from '../../report/secrets/secrets-text.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {importSecrets} from '../../verbs/secrets/import-secrets.ts'
import {secretUses} from '../../verbs/secrets/list-secrets.ts'

export default class SecretsImport extends KkCommand {
  static override summary = "Import the passwords of kolla's passwords.yml instead of generating new ones."
  static override description =
    'Stored passwords stay, unless --replace is given. Names that no chart of kk uses are listed and skipped. No release is changed: releases get a new value with their next upgrade.'
  static override examples = [
    'kk secrets import passwords.yml --sandbox --dry-run',
    'kk secrets import passwords.yml --sandbox --namespace openstack',
  ]
  static override args = {file: argument({description: "Kolla's passwords.yml.", required: true})}
  static override flags = {
    ...namespaceFlag,
    namespace: Flags.string({
      char: 'n',
      summary: 'The namespace of the releases.',
      helpValue: 'NAME',
      default: 'openstack',
    }),
    replace: Flags.boolean({summary: 'Replace stored passwords by those in the file.'}),
    'changed-by-hand': Flags.boolean({
      summary:
        'Confirm that replaced passwords were changed by hand where no upgrade changes them, as in the database.',
      dependsOn: ['replace'],
    }),
    yes: Flags.boolean({
      char: 'y',
      summary: 'Do not ask before replacing; required with --replace without a terminal.',
    }),
    'dry-run': Flags.boolean({summary: 'Show what would be stored, and change nothing.'}),
    ...secretsFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(SecretsImport)
    const hint = 'check the path and its permissions; nothing was changed'
    const text = await readNamedFile(args.file, {hint})
    const passwords = readKollaPasswords(text, args.file)
    const uses = await secretUses(await openPlugins(flags))
    const {namespace, replace, 'dry-run': dryRun} = flags
    // The cluster's secrets take precedence over the store: no release uses the store's value yet.
    const byHand = flags['changed-by-hand'] || flags.in === 'store'
    const purpose = {changes: !dryRun, say: this.console.say}
    const imported = await withSecretStore(flags, purpose, async (store) => {
      const options = {namespace, replace, byHand, uses}
      const foreseen = await importSecrets(passwords, store, {...options, dryRun: true})
      if (dryRun) return foreseen
      const replaces = foreseen.secrets.some(({outcome}) => outcome === 'replaced')
      if (replaces && !flags.yes) {
        this.console.say(importText(foreseen, {isForeseen: true}))
        const hint = 'check above what would be replaced, then pass --yes'
        await requireConfirmation('replace these? Their former values are lost.', hint)
      }
      return importSecrets(passwords, store, {...options, dryRun: false})
    })
    this.console.document(flags.output, {dryRun, ...imported}, () =>
      importText(imported, {isForeseen: dryRun}),
    )
  }
}

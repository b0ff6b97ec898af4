import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {overridesFlags} from '../../cli/overrides/flags.ts'
import {storeBase, withOverrides} from '../../cli/overrides/open-overrides.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'

export default class OverridesExport extends KkCommand {
  static override summary =
    'Print the content of the override store as one YAML document, for backups and Git.'
  static override description =
    'Encrypted values stay encrypted, and can be imported with the same key; generated secrets are omitted. With --show-secrets, both are printed in plain text. The history is not included.'
  static override examples = ['kk overrides export --store overrides.sqlite --file overrides.yaml']
  static override flags = {
    file: Flags.string({
      summary: 'Write to this file, readable only by its owner, and print nothing.',
      helpValue: 'NAME',
    }),
    'show-secrets': Flags.boolean({summary: 'Include passwords and keys in plain text.'}),
    ...overridesFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(OverridesExport)
    const purpose = {changes: false, say: this.console.say, base: () => storeBase(flags), ifMissing: noStore}
    const text = await withOverrides(flags, purpose, (service) =>
      service.export({showSecrets: flags['show-secrets']}),
    )
    if (flags.file === undefined) return this.console.print(text)
    await writeNamedFile(flags.file, text)
  }
}

function noStore(): never {
  throw new KkError('KK_FILE', 'there is no override store to export', {
    hint: 'specify it with --store or KK_STORE, or its cluster with --context or --sandbox',
  })
}

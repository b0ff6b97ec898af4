import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {overridesFlags} from '../../cli/overrides/flags.ts'
import {onOverrides, storeBase} from '../../cli/overrides/open-overrides.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'

export default class OverridesExport extends KkCommand {
  static override summary = 'Print all that the store of overrides holds as one YAML, for backup and Git.'
  static override description =
    'What is encrypted stays encrypted, and is read again with the same key; generated secrets are left out. With --show-secrets both are there in clear. The history is not part of it.'
  static override examples = ['kk overrides export --store overrides.sqlite --file overrides.yaml']
  static override flags = {
    file: Flags.string({
      summary: 'Write to this file, readable by you only, and print nothing.',
      helpValue: 'NAME',
    }),
    'show-secrets': Flags.boolean({summary: 'With passwords and keys in clear.'}),
    ...overridesFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(OverridesExport)
    const purpose = {changes: false, say: this.console.say, base: () => storeBase(flags), ifMissing: noStore}
    const text = await onOverrides(flags, purpose, (service) =>
      service.export({showSecrets: flags['show-secrets']}),
    )
    if (flags.file === undefined) return this.console.print(text)
    await writeNamedFile(flags.file, text)
  }
}

function noStore(): never {
  throw new KkError('KK_FILE', 'there is no store of overrides to export', {
    hint: 'name it with --store or KK_STORE, or its cluster with --context or --sandbox',
  })
}

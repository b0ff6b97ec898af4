import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {importFlags} from '../../cli/overrides/flags.ts'
import {importFile} from '../../cli/overrides/import-file.ts'
import {importedText} from '../../report/overrides/overrides-text.ts'

export default class OverridesImport extends KkCommand {
  static override summary = 'Import the output of kk overrides export into the override store.'
  static override description =
    'Imports in one transaction. Overrides in the file replace stored ones; other overrides stay, unless --prune is given. An empty store takes the identity of the exported store. With -e or --facts, refuses inactive charts. On a terminal, shows what would change and asks for confirmation.'
  static override examples = [
    'kk overrides import overrides.yaml --store overrides.sqlite --dry-run',
    'kk overrides import overrides.yaml --store overrides.sqlite --prune --yes',
  ]
  static override args = {file: argument({description: 'The file; - reads standard input.', required: true})}
  static override flags = importFlags

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(OverridesImport)
    const imported = await importFile(args.file, flags, this.console.say)
    const document = {dryRun: flags['dry-run'], ...imported}
    this.console.document(flags.output, document, () => importedText(imported, flags['dry-run']))
  }
}

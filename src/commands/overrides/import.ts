import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {importFlags} from '../../cli/overrides/flags.ts'
import {importFile} from '../../cli/overrides/import-file.ts'
import {importedText} from '../../report/overrides/overrides-text.ts'

export default class OverridesImport extends KkCommand {
  static override summary = 'Write what kk overrides export printed into the store.'
  static override description =
    'In one transaction. Overrides that are there are replaced; others stay, unless --prune is given. A new store becomes the one that was exported. With -e or --facts, charts that are not active are refused. On a terminal it shows what would change, and asks.'
  static override examples = [
    'kk overrides import overrides.yaml --store overrides.sqlite --dry-run',
    'kk overrides import overrides.yaml --store overrides.sqlite --prune --yes',
  ]
  static override args = {file: argument({description: 'The file, or - for standard input.', required: true})}
  static override flags = importFlags

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(OverridesImport)
    const imported = await importFile(args.file, flags, this.console.say)
    const document = {dryRun: flags['dry-run'], ...imported}
    this.console.document(flags.output, document, () => importedText(imported, flags['dry-run']))
  }
}

import {KkCommand} from '../../cli/program/command.ts'
import {RULES_SCHEMA} from '../../overrides/system/outside/schema.ts'

export default class SchemaPlugin extends KkCommand {
  static override summary = 'Print the JSON Schema of rule files, which are plugins without a program.'
  static override description = 'Editors complete and check rule files with it.'
  static override examples = ['<%= config.bin %> schema plugin > plugin.schema.json']

  override async run(): Promise<void> {
    await this.parse(SchemaPlugin)
    this.print(JSON.stringify(RULES_SCHEMA, undefined, 2))
  }
}

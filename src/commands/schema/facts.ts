import {KkCommand} from '../../cli/command.ts'
import {FACTS_SCHEMA} from '../../overrides/facts/schema.ts'

export default class SchemaFacts extends KkCommand {
  static override summary = 'Print the JSON Schema of the facts file.'
  static override description = 'Editors use it to complete and validate facts files.'
  static override examples = ['kk schema facts > facts.schema.json']

  override async run(): Promise<void> {
    await this.parse(SchemaFacts)
    this.console.print(JSON.stringify(FACTS_SCHEMA, undefined, 2))
  }
}

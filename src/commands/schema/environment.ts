import {KkCommand} from '../../cli/command.ts'
import {schemaText} from '../../environment/starter.ts'

export default class SchemaEnvironment extends KkCommand {
  static override summary = 'Print the JSON Schema of the environment file.'
  static override description = 'Editors use it to complete and validate environment files.'
  static override examples = ['kk schema environment > environment.schema.json']

  override async run(): Promise<void> {
    await this.parse(SchemaEnvironment)
    this.console.print(schemaText())
  }
}

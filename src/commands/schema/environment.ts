import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {openFinding, openOptions} from '../../cli/open/charts.ts'
import {schemaText} from '../../environment/starter.ts'
import {editorSchema} from '../../verbs/editor-schema.ts'

export default class SchemaEnvironment extends KkCommand {
  static override summary = 'Print the JSON Schema of the environment file.'
  static override description =
    'Editors use it to complete and validate environment files. With --with-charts it also has the values of each of the charts of kk, in the section of its name, and the options of its service below conf. Omit --with-charts if kk.charts names another source: sections of its charts have other values.'
  static override examples = [
    'kk schema environment --with-charts > environment.schema.json',
    'kk schema environment > environment.schema.json',
  ]
  static override flags = {
    'with-charts': Flags.boolean({
      summary: 'Include the values of the charts of kk, and options of services.',
    }),
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(SchemaEnvironment)
    if (!flags['with-charts']) return this.console.print(schemaText())
    await using finding = openFinding(undefined)
    this.console.print(await editorSchema(finding, openOptions()))
  }
}

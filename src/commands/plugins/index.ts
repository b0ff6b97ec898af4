import {KkCommand} from '../../cli/command.ts'
import {documentFlags, pluginsFlags} from '../../cli/flags.ts'
import {openPlugins} from '../../cli/open/layers.ts'
import {pluginsText} from '../../report/plugins-text.ts'
import {listPlugins} from '../../verbs/facts/list-plugins.ts'

export default class ListPlugins extends KkCommand {
  static override summary = 'List the plugins that generate system overrides, with the facts that each reads.'
  static override examples = ['kk plugins', 'kk plugins --plugins ./plugins --output json']
  static override flags = {...pluginsFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(ListPlugins)
    const plugins = await listPlugins(await openPlugins(flags))
    this.console.document(flags.output, {plugins}, (palette) => pluginsText(plugins, palette))
  }
}

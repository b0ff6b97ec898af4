import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, environmentFlags, releasesArgument} from '../../cli/flags.ts'
import {openGraph} from '../../cli/open/open.ts'
import {expectSettings} from '../../prepare/settings/expect-settings.ts'
import {graphDot} from '../../report/graph/graph-dot.ts'
import {graphDocument} from '../../report/graph/graph-json.ts'
import {graphMermaid} from '../../report/graph/graph-mermaid.ts'
import {graphSvg} from '../../report/graph/graph-svg.ts'
import {graphTree} from '../../report/graph/graph-tree.ts'
import {loadBundle} from '../../state/assets.ts'
import {viewOf} from '../../verbs/graph.ts'

export default class Graph extends KkCommand {
  static override summary = 'Show which releases require which, in installation order.'
  static override description =
    'Shows the releases of an environment and everything they require, by levels: a release starts when its requirements are healthy. With release names, shows only these and their requirements. Fails for keys and options of the environment that no chart or service reads.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk graph environments/all-in-one.yaml',
    'kk graph environments/all-in-one.yaml keystone',
    'Draw the graph.\nkk graph environments/all-in-one.yaml --format svg > graph.svg',
  ]
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...documentFlags,
    format: Flags.option({
      summary: 'Print the graph in another format.',
      options: ['dot', 'mermaid', 'svg'] as const,
      exclusive: ['output'],
    })(),
    all: Flags.boolean({
      summary: 'With --format: draw every edge, including those implied by others.',
      dependsOn: ['format'],
    }),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Graph)
    const {prepared, releases} = await openGraph(flags, argv as string[])
    const view = viewOf(prepared, releases)
    const notes = await expectSettings(prepared, {keys: true})
    for (const note of [...(prepared.inferenceNotes ?? []), ...notes]) this.console.say(`note: ${note}`)
    const drawing = {all: flags.all ?? false}
    if (flags.format === 'dot') return this.console.print(graphDot(view, drawing))
    if (flags.format === 'mermaid') return this.console.print(graphMermaid(view, drawing))
    if (flags.format === 'svg') {
      const loadViz = async () => (await loadBundle('viz', () => import('@viz-js/viz'))).instance()
      return this.console.print(await graphSvg(view, drawing, loadViz))
    }
    this.console.document(flags.output, graphDocument(view), (palette) => graphTree(view, palette))
  }
}

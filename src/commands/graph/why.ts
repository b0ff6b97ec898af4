import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, environmentFlags} from '../../cli/flags.ts'
import {openGraph} from '../../cli/open/open.ts'
import {why} from '../../graph/why.ts'
import {namedRelease} from '../../prepare/prepare.ts'
import {shownEdge} from '../../report/graph/graph-json.ts'
import {whyText} from '../../report/graph/why-text.ts'

export default class GraphWhy extends KkCommand {
  static override summary = 'Print the path through which one release requires another.'
  static override description =
    'Each step of the path is shown with its source: the line of a chart or of the environment or, if the requirement was inferred, the object of the rendered chart.'
  static override usage = '[FILE] FROM TO [FLAGS]'
  static override examples = [
    'kk graph why glance mariadb -e environments/all-in-one.yaml',
    'kk graph why environments/all-in-one.yaml horizon mariadb --output json',
  ]
  static override strict = false
  static override args = {
    from: argument({description: 'The release that requires the other.'}),
    to: argument({description: 'The release that is required.'}),
  }
  static override flags = {...environmentFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GraphWhy)
    const {prepared, releases} = await openGraph(flags, argv as string[])
    const [first, second, ...more] = releases
    if (first === undefined || second === undefined || more.length > 0) {
      throw new KkError('KK_USAGE', `expected two releases, got ${releases.length}`, {
        hint: 'for example: kk graph why glance mariadb',
      })
    }
    const from = namedRelease(prepared, first)
    const to = namedRelease(prepared, second)
    const path = why(prepared.graph, from, to)
    const steps = path?.map(shownEdge) ?? null
    this.console.document(flags.output, {from, to, path: steps}, (palette) =>
      whyText({from, to, path}, palette),
    )
  }
}

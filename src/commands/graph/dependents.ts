import {KkError} from '../../base/errors.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, environmentFlags} from '../../cli/flags.ts'
import {openGraph} from '../../cli/open/open.ts'
import {dependentsText} from '../../report/graph/dependents-text.ts'
import {dependentsOf} from '../../verbs/graph.ts'

export default class GraphDependents extends KkCommand {
  static override summary = 'List the releases that require a release, directly or indirectly.'
  static override usage = '[FILE] RELEASE [FLAGS]'
  static override examples = [
    'kk graph dependents mariadb -e environments/all-in-one.yaml',
    'kk graph dependents environments/all-in-one.yaml keystone --output json',
  ]
  static override strict = false
  static override args = {release: argument({description: 'The release that others require.'})}
  static override flags = {...environmentFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(GraphDependents)
    const {prepared, releases} = await openGraph(flags, argv as string[])
    const [release, ...more] = releases
    if (release === undefined || more.length > 0) {
      throw new KkError('KK_USAGE', `expected one release, got ${releases.length}`, {
        hint: 'for example: kk graph dependents mariadb',
      })
    }
    const dependents = dependentsOf(prepared, release)
    this.console.document(flags.output, dependents, (palette) => dependentsText(dependents, palette))
  }
}

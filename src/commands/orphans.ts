import {KkCommand} from '../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, fileArgument, repeated} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {openEnvironment} from '../cli/open/open.ts'
import {usesReader} from '../prepare/uses-reader.ts'
import {orphansText} from '../report/orphans-text.ts'
import {findOrphans} from '../verbs/removal/orphans.ts'

export default class Orphans extends KkCommand {
  static override summary = 'List shared releases that nothing on the cluster uses any more.'
  static override description =
    'Releases of any environment that were only added because something required them, that no section states, and that nothing requires now. Removes nothing: they go by kk remove, by name.'
  static override examples = ['kk orphans environments/all-in-one.yaml --sandbox']
  static override args = fileArgument
  static override flags = {
    ...environmentFlags,
    'ignore-record': repeated(
      'NAMESPACE/NAME',
      'Do not count a record that cannot be read as a user; may be repeated.',
    ),
    ...clusterFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Orphans)
    const {environment} = await openEnvironment(flags, args.file === undefined ? [] : [args.file])
    await using cluster = await openChosenCluster(flags, environment)
    const found = await findOrphans(usesReader(cluster, new Set(flags['ignore-record'] ?? [])))
    this.console.document(flags.output, found, (palette) => orphansText(found, palette))
  }
}

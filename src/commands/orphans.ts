import {KkCommand} from '../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, fileArgument, repeated} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {openEnvironment} from '../cli/open/open.ts'
import {usesReader} from '../prepare/uses-reader.ts'
import {orphansText} from '../report/orphans-text.ts'
import {findOrphans} from '../verbs/removal/orphans.ts'

export default class Orphans extends KkCommand {
  static override summary = 'List shared releases that nothing on the cluster uses.'
  static override description =
    'Lists releases of any environment that were only added as requirements, have no section, and are no longer required. Removes nothing: remove them by name with kk remove.'
  static override examples = ['kk orphans environments/all-in-one.yaml --sandbox']
  static override args = fileArgument
  static override flags = {
    ...environmentFlags,
    'ignore-record': repeated(
      'NAMESPACE/NAME',
      'Do not treat this unreadable record as a user of releases; may be repeated.',
    ),
    ...clusterFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Orphans)
    const {environment} = await openEnvironment(flags, args.file === undefined ? [] : [args.file])
    await using cluster = await openChosenCluster(flags, environment)
    const orphans = await findOrphans(usesReader(cluster, new Set(flags['ignore-record'] ?? [])))
    this.console.document(flags.output, orphans, (palette) => orphansText(orphans, palette))
  }
}

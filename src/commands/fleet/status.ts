import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {fleetFlags, requestedEnvironments} from '../../cli/operator/fleet.ts'
import {fleetStatusText} from '../../operator/client/fleet.ts'
import {isHealthy, readOperatorStatus} from '../../operator/client/status.ts'

export default class FleetStatus extends KkCommand {
  static override summary = 'Show many Environments of the operator, with their clusters, in one table.'
  static override description =
    'Shows for each Environment its cluster (the Secret with the kubeconfig; - is the cluster of the operator), its phase, the number of ready releases, the number of pending actions, the time of the last transition, and whether its cluster is reachable. Reads only the cluster that has the Environments. Exits 1 unless every Environment is ready or paused, like kk operator status, which also shows their releases.'
  static override examples = [
    'kk fleet status --sandbox',
    'kk fleet status --selector region=north --sandbox --output json',
  ]
  static override strict = false
  static override usage = '[NAME...] [FLAGS]'
  static override flags = {...fleetFlags, ...clusterFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(FleetStatus)
    await using cluster = await openChosenCluster(flags, undefined)
    const status = await readOperatorStatus(cluster, requestedEnvironments(flags, argv))
    this.console.document(flags.output, {context: cluster.context, ...status}, (palette) =>
      fleetStatusText(status, cluster.leases.now(), palette),
    )
    if (!isHealthy(status)) process.exitCode = 1
  }
}

import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {askedEnvironments, fleetFlags} from '../../cli/operator/fleet.ts'
import {fleetStatusText} from '../../operator/client/fleet.ts'
import {isHealthy, readOperatorStatus} from '../../operator/client/status.ts'

export default class FleetStatus extends KkCommand {
  static override summary = 'Show many Environments of the operator, with their clusters, in one table.'
  static override description =
    'Of each Environment its cluster (the Secret with the kubeconfig; - is that of the operator), how far it is, how many releases are ready, how many actions are to be done, since when it is so, and whether its cluster answers. It asks the cluster of the Environments alone. Exits 1 unless every one is ready or paused, as kk operator status does, which tells of their releases, too.'
  static override examples = [
    'kk fleet status --sandbox',
    'kk fleet status --selector region=north --sandbox --output json',
  ]
  static override strict = false
  static override usage = 'fleet status [NAME...] [flags]'
  static override flags = {...fleetFlags, ...clusterFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(FleetStatus)
    await using cluster = await openChosenCluster(flags, undefined)
    const status = await readOperatorStatus(cluster, askedEnvironments(flags, argv))
    this.console.document(flags.output, {context: cluster.context, ...status}, (palette) =>
      fleetStatusText(status, cluster.leases.now(), palette),
    )
    if (!isHealthy(status)) process.exitCode = 1
  }
}

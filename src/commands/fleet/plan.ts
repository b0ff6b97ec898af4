import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags, helmFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {fleetFlags, openLazyConnections, requestedEnvironments} from '../../cli/operator/fleet.ts'
import {fleetPlanText, readFleetPlans} from '../../operator/client/fleet.ts'
import {isHealthy, readOperatorStatus} from '../../operator/client/status.ts'

export default class FleetPlan extends KkCommand {
  static override summary = 'Show the plans of many Environments of the operator.'
  static override description =
    'Shows the plan in the status of each Environment, and what it waits for. If an Environment is paused, or the operator cannot plan it or has not seen it, kk plans it now in its cluster, which requires read access to its Secrets. Nothing is changed. Exits 1 unless every Environment is ready or paused and every plan is known.'
  static override examples = ['kk fleet plan --sandbox', 'kk fleet plan staging production --sandbox']
  static override strict = false
  static override usage = '[NAME...] [FLAGS]'
  static override flags = {...fleetFlags, ...clusterFlags, ...helmFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(FleetPlan)
    await using cluster = await openChosenCluster(flags, undefined)
    const status = await readOperatorStatus(cluster, requestedEnvironments(flags, argv))
    await using sites = openLazyConnections(flags, cluster)
    const environments = await readFleetPlans(status, cluster, sites.open)
    this.console.document(flags.output, {context: cluster.context, environments}, (palette) =>
      fleetPlanText(environments, palette),
    )
    if (!isHealthy(status) || environments.some(({problem}) => problem !== null)) process.exitCode = 1
  }
}

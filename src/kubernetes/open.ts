import {NO_RULES, type ReadinessRules} from '../base/readiness.ts'
import {clusterAccess} from './api/access.ts'
import {openApiServer} from './api/api-server.ts'
import {openClient} from './api/client.ts'
import {discoverKinds} from './api/discovery.ts'
import type {KubeconfigOptions} from './api/kubeconfig.ts'
import type {Cluster} from './cluster.ts'
import {openDiagnosis} from './diagnosis/open.ts'
import {openDryRuns} from './dry-run/open.ts'
import {openEvictions} from './evictions.ts'
import {openExec} from './exec/exec.ts'
import {openHealthChecks} from './gate/open.ts'
import {openGuard} from './guard/open.ts'
import {imagePulls} from './image-pulls.ts'
import {openInventory} from './inventory/inventory.ts'
import {openLeases} from './lease/open.ts'
import {openLogs} from './logs.ts'
import {openObjects} from './objects/objects.ts'
import {openLiveObjects} from './objects/open.ts'
import {openRecords} from './records/records.ts'
import {runRecords} from './records/runs.ts'
import {openSecretStore} from './records/secret-store.ts'
import {useReservations} from './reservations/reservations.ts'
import {openWatches} from './watch/watches.ts'

interface ClusterOptions extends KubeconfigOptions {
  /** The readiness rules of custom resources whose conditions do not indicate readiness. */
  readonly readiness?: ReadinessRules | undefined
}

/**
 * Returns the cluster of a kubeconfig context. Reads the kubeconfig and sends no request. Throws
 * `KK_KUBECONFIG`.
 */
export async function openCluster({
  readiness: rules = NO_RULES,
  ...options
}: ClusterOptions): Promise<Cluster> {
  const access = clusterAccess(options)
  const client = openClient(access)
  const watches = openWatches(client)
  const discovery = discoverKinds(client)
  return {
    context: access.context,
    server: access.server,
    kubeconfig: access.kubeconfig,
    helmContext: access.isOfPod ? undefined : access.context,
    apiServer: openApiServer(client, discovery),
    records: openRecords(client),
    leases: openLeases(client),
    health: openHealthChecks(client, {discovery, watches, rules}),
    live: openLiveObjects(client, discovery),
    objects: openObjects(client),
    dryRuns: openDryRuns(client, discovery),
    logs: openLogs(client),
    exec: openExec(client),
    evictions: openEvictions(client),
    inventory: openInventory(client),
    pulls: imagePulls(client),
    runs: runRecords(client),
    secrets: openSecretStore(client),
    guard: openGuard(client),
    diagnosis: openDiagnosis(client, discovery),
    reservations: useReservations(client),
    async close() {
      watches.close()
      client.close()
    },
  }
}

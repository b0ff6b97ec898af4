import type {ApiServer} from './api/api-server.ts'
import type {Diagnosis} from './diagnosis/diagnosis.ts'
import type {DryRuns} from './dry-run/dry-runs.ts'
import type {Evictions} from './evictions.ts'
import type {Exec} from './exec/exec.ts'
import type {HealthChecks} from './gate/health-checks.ts'
import type {Guard} from './guard/guard.ts'
import type {ImagePulls} from './image-pulls.ts'
import type {InventoryReader} from './inventory/inventory.ts'
import type {Leases} from './lease/leases.ts'
import type {Logs} from './logs.ts'
import type {LiveObjects} from './objects/live-objects.ts'
import type {Objects} from './objects/objects.ts'
import type {Records} from './records/records.ts'
import type {RunRecords} from './records/runs.ts'
import type {SecretStore} from './records/secret-store.ts'
import type {Reservations} from './reservations/reservation.ts'

/**
 * One cluster through one kubeconfig context, by its ports; each caller takes only the ports that it needs.
 * Every function throws `KK_UNREACHABLE`, `KK_FORBIDDEN` or `KK_API`.
 */
export interface Cluster {
  readonly context: string
  /** The API server's address. */
  readonly server: string
  /**
   * The values of helm's `--kubeconfig` and `--kube-context`; undefined in a pod, where helm uses the pod's
   * account.
   */
  readonly kubeconfig: string | undefined
  readonly helmContext: string | undefined
  readonly apiServer: ApiServer
  /** Helm's records of releases. */
  readonly records: Records
  readonly leases: Leases
  readonly health: HealthChecks
  /** The objects of releases. */
  readonly live: LiveObjects
  /** Objects of any kind. */
  readonly objects: Objects
  readonly dryRuns: DryRuns
  /** The logs of containers. */
  readonly logs: Logs
  /** Programs in containers. */
  readonly exec: Exec
  /** The pods of nodes. */
  readonly evictions: Evictions
  readonly inventory: InventoryReader
  /** Pre-pulls of images to the nodes. */
  readonly pulls: ImagePulls
  /** The records of runs on the cluster. */
  readonly runs: RunRecords
  /** Generated passwords and keys. */
  readonly secrets: SecretStore
  readonly guard: Guard
  readonly diagnosis: Diagnosis
  /** The reservations of runs that are about to install a dependent of a release. */
  readonly reservations: Reservations
  close(): Promise<void>
}

import type {Cluster} from '../../cluster/cluster.ts'
import type {Helm, HelmVersion} from '../../helm/helm.ts'
import type {Redact} from '../../helm/redact/redact.ts'
import type {Action, ActionKind} from '../../plan/plan.ts'
import type {Journal} from '../journal.ts'
import type {Controls} from '../perform.ts'
import type {Agreement} from './agreement.ts'
import type {Clock} from './clock.ts'
import type {Hold} from './hold.ts'

/** What a run works with. */
export interface Tools {
  readonly helm: Pick<Helm, 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test'> & {
    readonly version: Pick<HelmVersion, 'major'>
  }
  readonly cluster: Pick<
    Cluster,
    | 'hold'
    | 'lease'
    | 'now'
    | 'lastRecord'
    | 'markFailed'
    | 'stored'
    | 'revisions'
    | 'label'
    | 'validate'
    | 'deleteFailedJobs'
    | 'makeNamespace'
    | 'hasNamespace'
    | 'gate'
    | 'exist'
    | 'customKinds'
    | 'watchHooks'
    | 'present'
    | 'keepObject'
    | 'claims'
    | 'deleteClaim'
    | 'deleteObject'
    | 'reservations'
  >
  /** The environment that runs. */
  readonly environment: string
  /** The run's id. */
  readonly run: string
  /** Who holds the leases, as others are told: user, host, process. */
  readonly holder: string
  /** Takes Leases; those of a group all at once. */
  readonly hold: Hold
  /** Whether somebody else who holds a release is waited for. */
  readonly waits: boolean
  /** Among removals. */
  readonly agreement: Agreement
  readonly clock: Clock
  readonly journal: Journal
  /** Masks the secrets of all releases of the environment. */
  readonly mask: Redact
}

/** One action with all that it needs. */
export interface Execution<K extends ActionKind = ActionKind> extends Tools {
  readonly action: Action<K>
  readonly controls: Controls
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** Masks the secrets among the release's values, where they are known. */
  readonly redact?: Redact
}

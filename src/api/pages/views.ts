import type {RunEntry} from '../../kubernetes/records/run-entry.ts'
import type {Plan} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import type {Palette} from '../../report/colour.ts'
import type {GraphView} from '../../report/graph/graph-view.ts'
import type {Sheet} from '../../report/table.ts'
import type {RunEvent} from '../../run/events.ts'
import type {ExplainedValues} from '../../verbs/explain.ts'
import type {ReleaseDrift} from '../../verbs/observation/drift.ts'
import type {ReleaseHistory} from '../../verbs/observation/history.ts'
import type {StatusReport} from '../../verbs/observation/release-status.ts'
import type {ChangePreview} from '../../verbs/preview.ts'

/** The data of the pages about an environment: what the commands of the same names show. All only read. */
export interface EnvironmentViews {
  /** The name of the environment. */
  readonly name: string
  /** The environment file, as on the command line. */
  readonly file: string
  /** Needs no cluster. */
  graph(): Promise<GraphView>
  status(): Promise<SeenStatus>
  plan(): Promise<SeenPlan>
  drift(): Promise<SeenDrift>
  /** Returns the runs of the environment, or of all on the cluster, newest first. */
  runs(of: 'environment' | 'all'): Promise<readonly RunEntry[]>
  /** Rejects with `KK_NO_RUN`. */
  run(id: string): Promise<SeenRun>
  revisions(release: ReleaseId): Promise<ReleaseHistory>
  values(release: ReleaseId, options: ValuesOptions): Promise<SeenValues>
  /** Returns the Environments of the operator on the cluster. */
  fleet(palette: Palette): Promise<SeenFleet>
}

export interface SeenStatus {
  readonly context: string
  readonly at: Date
  readonly report: StatusReport
}

export interface SeenPlan {
  readonly plan: Plan
  /** The results of the checks; the error with which a deploy would be refused otherwise. */
  readonly checks: Partial<ChangePreview> | {readonly problem: unknown}
}

interface SeenDrift {
  readonly drifts: readonly ReleaseDrift[]
  readonly notes: readonly string[]
}

export interface SeenRun {
  readonly record: RunEntry
  /** The events so far; undefined for a run that has no Job in the cluster. */
  readonly events: readonly RunEvent[] | undefined
}

interface SeenValues extends ExplainedValues {
  readonly notes: readonly string[]
}

interface ValuesOptions {
  /** Whether to include the keys that only the defaults of the chart set. */
  readonly all: boolean
  readonly showSecrets: boolean
}

interface SeenFleet {
  readonly context: string
  /** What there is to know before the table. */
  readonly notes: readonly string[]
  /** Undefined if the cluster has no operator. */
  readonly table: Sheet | undefined
}

import type {ClusterIdentity} from '../cluster/cluster.ts'
import type {EdgeKind, ReleaseId} from '../release.ts'
import type {ChangeKind} from './changes/change-kind.ts'
import type {ChangeVerb} from './changes/change-verb.ts'

/**
 * install · upgrade: helm runs, then the gate. await: no helm, gate only. relabel: only the edges changed, the
 * record is patched. unchanged: nothing to do. check: the release is not to be changed, but its gate must pass.
 * rollback: helm returns to an earlier revision, then the gate. remove: helm uninstalls it. test: helm runs its tests.
 * adopt: the record of a foreign release is given this environment's labels, and nothing else is done. prune: objects that
 * only a failed revision made, and that helm has forgotten, are deleted.
 */
export type ActionKind =
  | 'install'
  | 'upgrade'
  | 'rollback'
  | 'remove'
  | 'await'
  | 'relabel'
  | 'adopt'
  | 'prune'
  | 'check'
  | 'test'
  | 'unchanged'

export interface Action {
  readonly release: ReleaseId
  readonly kind: ActionKind
  /** For people, e.g. `section keystone of all-in-one.yaml changed`. */
  readonly reasons: readonly string[]
  /** The chart that is to be; of what is not changed, as far as its record tells, the one that is there. */
  readonly chart: {readonly name: string; readonly version: string; readonly appVersion: string}
  /** Of an upgrade: the chart of the last revision. */
  readonly installed?: Action['chart']
  /** Requirements that are part of this plan. */
  readonly requires: readonly PlannedRequirement[]
  /** The members of its group, itself included; they start together. */
  readonly group: readonly ReleaseId[]
  /** The last revision seen when the plan was made; 0 when there was none. */
  readonly revision: number
  /** Helm's word for that revision when it was left unfinished: it is marked failed first. */
  readonly recovers?: string
  /** Of an adoption: the environment that hands the release over; absent for one that kk did not install. */
  readonly from?: string
  /** Of a rollback: the revision to return to, and what it requires. */
  readonly target?: number
  readonly uses?: readonly {readonly release: ReleaseId; readonly kind: EdgeKind}[]
  /** The inputs digest; empty where it is not known, as of an adopted release that was deployed with other inputs. */
  readonly inputs: string
  readonly protected: boolean
  /** What differs from what is on the cluster; only in plans of the verbs that change an environment. */
  readonly changes?: readonly ChangeKind[]
  /** Its gate must pass again, though the record bears its mark: something that it requires changes. */
  readonly recheck?: true
  /** Something that requires it passes its gate again afterwards: until then its record says so. */
  readonly rechecks?: true
}

/** A requirement that is part of a plan. */
export interface PlannedRequirement {
  readonly release: ReleaseId
  readonly kind: EdgeKind
  /** Nobody wrote it down: what says so, in what the chart renders. Left out for what is stated. */
  readonly inferred?: readonly string[]
}

/** A release on the cluster that this plan leaves alone. */
export interface Bystander {
  readonly release: ReleaseId
  /**
   * No longer wanted: this environment installed it, the file no longer names it. Kept: it outlives its environment. To
   * adopt: the file wants it, but kk did not install it; no verb changes it before it is adopted.
   */
  readonly state: 'no-longer-wanted' | 'foreign' | 'to-adopt' | 'kept'
  readonly owner?: string
  readonly note: string
}

/** The actions that take the cluster from observed to desired, in an order that respects every edge. Holds no values. */
export interface Plan {
  readonly environment: string
  readonly file: string
  readonly cluster: {readonly context: string; readonly server: string} & ClusterIdentity
  readonly actions: readonly Action[]
  readonly bystanders: readonly Bystander[]
  /** The narrowest verb that would do all of it; undefined when there is nothing to do. */
  readonly suffices?: ChangeVerb
  /** What is to be known beside the actions, for people. */
  readonly notes?: readonly string[]
  /** The passwords and keys that are made when it is run: `namespace/name`. */
  readonly newSecrets?: readonly string[]
}

/** Whether the plan would write anything to the cluster: helm, a mark of a passed gate, or labels. */
export function hasChanges(plan: Plan): boolean {
  return plan.actions.some(isChange)
}

/** Whether an action does more than look. */
export function isChange({kind}: Pick<Action, 'kind'>): boolean {
  return kind !== 'unchanged' && kind !== 'check'
}

import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {EdgeKind, ReleaseId} from '../release.ts'
import type {ChangeKind} from './changes/change-kind.ts'
import type {ChangeVerb} from './changes/change-verb.ts'

/** What an action tells whatever its kind. */
interface ActionFacts {
  readonly release: ReleaseId
  /** For people, e.g. `section keystone of all-in-one.yaml changed`. */
  readonly reasons: readonly string[]
  /** The chart that is to be; of what is not changed, as far as its record tells, the one that is there. */
  readonly chart: PlannedChart
  /** Requirements that are part of this plan. */
  readonly requires: readonly PlannedRequirement[]
  /** The members of its group, itself included; they start together. */
  readonly group: readonly ReleaseId[]
  /** The last revision seen when the plan was made; 0 when there was none. */
  readonly revision: number
  /** The UID of its record: another installation has the same numbers. Absent where nothing is changed, or none was seen. */
  readonly uid?: string
  /** The inputs digest; empty where it is not known, as of an adopted release that was deployed with other inputs. */
  readonly inputs: string
  readonly protected: boolean
  /** What differs from what is on the cluster; only in plans of the verbs that change an environment. */
  readonly changes?: readonly ChangeKind[]
}

interface PlannedChart {
  readonly name: string
  readonly version: string
  readonly appVersion: string
}

interface Recovering {
  /** Helm's word for the last revision when it was left unfinished: it is marked failed first. */
  readonly recovers?: string
}

interface Changing {
  /** Something that requires it passes its gate again afterwards: until then its record says so. */
  readonly rechecks?: true
}

/** Helm runs, then the gate. Of a release with a record it is an install over what an earlier one has left. */
interface Install extends ActionFacts, Recovering {
  readonly kind: 'install'
}

interface Upgrade extends ActionFacts, Recovering, Changing {
  readonly kind: 'upgrade'
  readonly installed?: PlannedChart
}

/** Helm returns to an earlier revision, then the gate. */
interface Rollback extends ActionFacts, Recovering, Changing {
  readonly kind: 'rollback'
  /** The revision to return to, and what it requires. */
  readonly target: number
  readonly uses: readonly {readonly release: ReleaseId; readonly kind: EdgeKind}[]
}

/** No helm, gate only. */
interface Await extends ActionFacts, Changing {
  readonly kind: 'await'
}

/** Only the edges changed, the record is patched. Its gate must pass again where something that it requires changes. */
interface Relabel extends ActionFacts {
  readonly kind: 'relabel'
  readonly recheck?: true
}

/** The record of a foreign release is given this environment's labels, and nothing else is done. */
interface Adopt extends ActionFacts {
  readonly kind: 'adopt'
  /** The environment that hands the release over, or this one for another tool's; absent where kk did not install it. */
  readonly from?: string
}

/** The record is marked: from now on that tool changes the release, and kk refuses to. */
interface HandOver extends ActionFacts {
  readonly kind: 'hand-over'
  readonly tool: string
}

/** An action of which there is no more to state. */
interface Plain<K extends string> extends ActionFacts {
  readonly kind: K
}

type AnyAction =
  | Install
  | Upgrade
  | Rollback
  /** Helm uninstalls the release. */
  | Plain<'remove'>
  | Await
  | Relabel
  | Adopt
  | HandOver
  /** Objects that only a failed revision made, and that helm has forgotten, are deleted. */
  | Plain<'prune'>
  /** The release is not to be changed, but its gate must pass. */
  | Plain<'check'>
  /** Helm runs the tests of the release. */
  | Plain<'test'>
  | Plain<'unchanged'>

export type ActionKind = AnyAction['kind']

/** What is to be done with a release, and why. Holds no values. */
export type Action<K extends ActionKind = ActionKind> = AnyAction & {readonly kind: K}

/** What only actions of some kinds state. */
export type KindFacts<K extends ActionKind> = Omit<Action<K>, 'kind' | keyof ActionFacts>

/** The kinds of a plan that brings an environment to the cluster. */
export type DeployKind = 'install' | 'upgrade' | 'await' | 'relabel' | 'check' | 'unchanged'

/** A requirement that is part of a plan. */
export interface PlannedRequirement {
  readonly release: ReleaseId
  readonly kind: EdgeKind
  /** Nobody wrote it down: what says so, in what the chart renders. Left out for what is stated. */
  readonly inferred?: readonly string[]
}

/** A release on the cluster that this plan leaves alone. */
export interface UntouchedRelease {
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
export interface Plan<K extends ActionKind = ActionKind> {
  readonly environment: string
  readonly file: string
  readonly cluster: {readonly context: string; readonly server: string} & ClusterIdentity
  readonly actions: readonly Action<K>[]
  readonly bystanders: readonly UntouchedRelease[]
  /** The narrowest verb that would do all of it; undefined when there is nothing to do. */
  readonly suffices?: ChangeVerb
  /** What is to be known beside the actions, for people. */
  readonly notes?: readonly string[]
  /** The passwords and keys that are made when it is run: `namespace/name`. */
  readonly newSecrets?: readonly string[]
}

/** Returns a plan with more notes. */
export function withNotes<K extends ActionKind>(plan: Plan<K>, notes: readonly string[]): Plan<K> {
  return notes.length === 0 ? plan : {...plan, notes: [...(plan.notes ?? []), ...notes]}
}

/** Whether the plan would write anything to the cluster: helm, a mark of a passed gate, or labels. */
export function hasChanges(plan: Plan): boolean {
  return plan.actions.some(isChange)
}

/** Whether something that requires the release passes its gate again after the action. */
export function isRechecked(action: Action): boolean {
  return 'rechecks' in action && action.rechecks === true
}

/** Whether an action does more than look. */
export function isChange({kind}: Pick<Action, 'kind'>): boolean {
  return kind !== 'unchanged' && kind !== 'check'
}

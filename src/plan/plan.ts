import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {EdgeKind, ReleaseId} from '../release.ts'
import type {ChangeKind} from './changes/change-kind.ts'
import type {ChangeVerb} from './changes/change-verb.ts'
import type {ActionForecast} from './forecast/action-forecast.ts'

/** The data that actions of every kind have. */
interface ActionFacts {
  readonly release: ReleaseId
  /** For people, e.g. `section keystone of all-in-one.yaml changed`. */
  readonly reasons: readonly string[]
  /** The desired chart; for an unchanged release the installed one, as far as its record shows. */
  readonly chart: PlannedChart
  /** Requirements that are part of this plan. */
  readonly requires: readonly PlannedRequirement[]
  /** The members of its group, itself included; they start together. */
  readonly group: readonly ReleaseId[]
  /** The last revision at the time of the plan; 0 if there was none. */
  readonly revision: number
  /**
   * The UID of its record, because another installation has the same revision numbers. Absent if nothing
   * changes, or there was no record.
   */
  readonly uid?: string
  /** The inputs digest; empty if unknown, as for an adopted release that was deployed with other inputs. */
  readonly inputs: string
  readonly protected: boolean
  /** The differences from the cluster; only in plans of the verbs that change an environment. */
  readonly changes?: readonly ChangeKind[]
}

interface PlannedChart {
  readonly name: string
  readonly version: string
  readonly appVersion: string
}

interface Recovering {
  /** Helm's status of the last revision if it was left unfinished: it is marked failed first. */
  readonly recovers?: string
}

interface Changing {
  /** Dependents pass their gates again afterwards: until then its record marks them as unchecked. */
  readonly rechecks?: true
}

/** Helm runs, then the gate. For a release with a record it installs over the rest of an earlier install. */
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
  /** The revision to return to, and its requirements. */
  readonly target: number
  readonly uses: readonly {readonly release: ReleaseId; readonly kind: EdgeKind}[]
}

/** No helm, gate only. */
interface Await extends ActionFacts, Changing {
  readonly kind: 'await'
}

/**
 * Only the edges changed, the record is patched. Its gate must pass again if one of its requirements changes.
 */
interface Relabel extends ActionFacts {
  readonly kind: 'relabel'
  readonly recheck?: true
}

/** The record of a foreign release gets this environment's labels; nothing else changes. */
interface Adopt extends ActionFacts {
  readonly kind: 'adopt'
  /**
   * The environment that hands the release over, or this one if another tool had it; absent if kk did not
   * install it.
   */
  readonly from?: string
}

/** The record is marked: from then on, that tool changes the release, and kk refuses changes. */
interface HandOver extends ActionFacts {
  readonly kind: 'hand-over'
  readonly tool: string
}

/** Helm runs the tests of the release. */
interface Test extends ActionFacts {
  readonly kind: 'test'
  /**
   * The release of the tests that use the whole cloud as a user does; see `isUserTest`. They are an action of
   * their own, whose `release` is made by `userTestId`. Absent for the release's own tests.
   */
  readonly userTestOf?: ReleaseId
  /** The actions that must have ended first, whatever their results. */
  readonly follows?: readonly ReleaseId[]
}

/** An action without further data. */
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
  /** Objects that only a failed revision created, and that helm no longer manages, are deleted. */
  | Plain<'prune'>
  /** The release must not change, but its gate must pass. */
  | Plain<'check'>
  | Test
  | Plain<'unchanged'>

export type ActionKind = AnyAction['kind']

/** The action on a release, with the reasons. Holds no values. */
export type Action<K extends ActionKind = ActionKind> = AnyAction & {readonly kind: K}

/** The data that only actions of some kinds have. */
export type KindFacts<K extends ActionKind> = Omit<Action<K>, 'kind' | keyof ActionFacts>

/** The kinds of a plan that brings an environment to the cluster. */
export type DeployKind = 'install' | 'upgrade' | 'await' | 'relabel' | 'check' | 'unchanged'

/** A requirement that is part of a plan. */
export interface PlannedRequirement {
  readonly release: ReleaseId
  readonly kind: EdgeKind
  /** The rendered evidence of an inferred requirement. Absent if a user or chart stated it. */
  readonly inferred?: readonly string[]
}

/** A release on the cluster that this plan leaves unchanged. */
export interface UntouchedRelease {
  readonly release: ReleaseId
  /**
   * No longer wanted: this environment installed it, the file no longer names it. Kept: it outlives its
   * environment. To adopt: the file wants it, but kk did not install it; no verb changes it until it is
   * adopted.
   */
  readonly state: 'no-longer-wanted' | 'foreign' | 'to-adopt' | 'kept'
  readonly owner?: string
  readonly note: string
}

/**
 * The actions that take the cluster from observed to desired, in an order that respects every edge. Holds no
 * values.
 */
export interface Plan<K extends ActionKind = ActionKind> {
  readonly environment: string
  readonly file: string
  readonly cluster: {readonly context: string; readonly server: string} & ClusterIdentity
  readonly actions: readonly Action<K>[]
  readonly bystanders: readonly UntouchedRelease[]
  /** The narrowest verb that makes all changes; undefined if there are none. */
  readonly suffices?: ChangeVerb
  /** Information in addition to the actions, for people. */
  readonly notes?: readonly string[]
  /** The passwords and keys that running the plan creates: `namespace/name`. */
  readonly newSecrets?: readonly string[]
  /** How long its actions take, and who notices them; undefined until they were rendered. */
  readonly forecast?: readonly ActionForecast[]
}

/** Returns a plan with more notes. */
export function withNotes<K extends ActionKind>(plan: Plan<K>, notes: readonly string[]): Plan<K> {
  return notes.length === 0 ? plan : {...plan, notes: [...(plan.notes ?? []), ...notes]}
}

/** Returns true if the plan would write anything to the cluster: helm, a mark of a passed gate, or labels. */
export function hasChanges(plan: Plan): boolean {
  return plan.actions.some(isChange)
}

/** Returns true if dependents of the release pass their gates again after the action. */
export function isRechecked(action: Action): boolean {
  return 'rechecks' in action && action.rechecks === true
}

/** Returns true if an action does more than check. */
export function isChange({kind}: Pick<Action, 'kind'>): boolean {
  return kind !== 'unchanged' && kind !== 'check'
}

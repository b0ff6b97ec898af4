import {reverse} from '../../graph/graph.ts'
import {longestPath} from '../../graph/longest-path.ts'
import {actionGraph} from '../../plan/action-graph.ts'
import type {Action, ActionKind} from '../../plan/plan.ts'
import type {EdgeKind, ReleaseId} from '../../release.ts'

/** Actions that start together: the members of a group, or one action alone. */
interface Unit {
  readonly actions: readonly Action[]
  /** Whether any of them needs a slot of the limit. */
  readonly limited: boolean
  /** The number of edges to actions of other units that must be met before it starts. */
  readonly requirements: number
}

/** A release that waits for an action of another unit. */
export interface Waiter {
  readonly release: ReleaseId
  /** Index into `units`. */
  readonly unit: number
  /** `ended`: whatever the result. */
  readonly kind: EdgeKind | 'ended'
}

/** When a started action frees its slot: when helm has ended, or when its gate has passed. */
export type StartCondition = 'helm' | 'gate'

/** The immutable data of a run. */
export interface Schedule {
  /** Sorted by urgency: the longest remaining path first, then the order of the plan. */
  readonly units: readonly Unit[]
  readonly unitOf: ReadonlyMap<ReleaseId, number>
  readonly actionOf: ReadonlyMap<ReleaseId, Action>
  /** The position of each release in the plan. */
  readonly position: ReadonlyMap<ReleaseId, number>
  readonly waiters: ReadonlyMap<ReleaseId, readonly Waiter[]>
  readonly startCondition: StartCondition
}

/** Builds the schedule of a plan's actions, in O(V+E). */
export function makeSchedule(actions: readonly Action[], startCondition: StartCondition = 'helm'): Schedule {
  const actionOf = new Map(actions.map((action) => [action.release, action]))
  const remaining = longestPath(reverse(actionGraph(actions)), (release) =>
    expectedWork(actionOf.get(release)!),
  )
  const heads = actions
    .filter(({release, group}) => group[0] === undefined || group[0] === release)
    .toSorted((a, b) => remaining.get(b.release)! - remaining.get(a.release)!)
  const unitOf = new Map(
    heads.flatMap(({release, group}, unit) => [release, ...group].map((member) => [member, unit] as const)),
  )
  const members = Map.groupBy(actions, ({release}) => unitOf.get(release)!)
  const edges = actions.flatMap((action) =>
    edgesOf(action)
      .filter(({to}) => unitOf.get(to) !== unitOf.get(action.release))
      .map(({to, kind}) => ({
        to,
        waiter: {release: action.release, unit: unitOf.get(action.release)!, kind},
      })),
  )
  const required = new Map(
    [...Map.groupBy(edges, ({waiter}) => waiter.unit)].map(([unit, of]) => [unit, of.length]),
  )
  const waiters = new Map(
    [...Map.groupBy(edges, ({to}) => to)].map(([to, of]) => [to, of.map(({waiter}) => waiter)]),
  )
  return {
    units: heads.map((_, unit) => ({
      actions: members.get(unit)!,
      limited: members.get(unit)!.some(({kind}) => isLimited(kind, startCondition)),
      requirements: required.get(unit) ?? 0,
    })),
    unitOf,
    actionOf,
    position: new Map(actions.map(({release}, place) => [release, place])),
    waiters,
    startCondition,
  }
}

function edgesOf(action: Action): readonly {readonly to: ReleaseId; readonly kind: Waiter['kind']}[] {
  const {follows = []} = action.kind === 'test' ? action : {}
  return [
    ...action.requires.map(({release, kind}) => ({to: release, kind})),
    ...follows.map((to) => ({to, kind: 'ended' as const})),
  ]
}

/**
 * Returns true if an action needs a slot. With the start condition `gate`, an `await` action also needs one,
 * because it finishes a change of an earlier run.
 */
export function isLimited(kind: ActionKind, startCondition: StartCondition): boolean {
  return runsHelm(kind) || (startCondition === 'gate' && WORK[kind] === 'gate')
}

/**
 * The work of each kind of action. `helm`: helm runs. `write`: kk itself writes labels or deletes objects.
 * `gate`: waits for a change that an earlier run began. `look`: changes nothing; at most checks health.
 */
const WORK = {
  install: 'helm',
  upgrade: 'helm',
  rollback: 'helm',
  remove: 'helm',
  test: 'helm',
  relabel: 'write',
  adopt: 'write',
  'hand-over': 'write',
  prune: 'write',
  await: 'gate',
  check: 'look',
  unchanged: 'look',
} as const satisfies Record<ActionKind, string>

/** Returns true for kinds that run helm, whose concurrency is limited. */
export function runsHelm(kind: ActionKind): boolean {
  return WORK[kind] === 'helm'
}

/** Returns true for kinds whose action runs under the release's Lease. */
export function takesLease(kind: ActionKind): boolean {
  return runsHelm(kind) || WORK[kind] === 'write'
}

/** Returns the expected work of an action, as its share of a path. */
export function expectedWork({kind}: Pick<Action, 'kind'>): number {
  return runsHelm(kind) || WORK[kind] === 'gate' ? 1 : 0
}

import {requirements} from '../graph/requirements.ts'
import {actionGraph} from '../plan/action-graph.ts'
import {isChange, type Plan} from '../plan/plan.ts'
import {namedReleases, type Prepared} from '../prepare/prepare.ts'
import type {ReleaseId} from '../release.ts'

/** A place where changes stop: a name of the file, and the releases that it means. */
interface Stop {
  readonly name: string
  readonly releases: readonly ReleaseId[]
}

/** The part of a plan that is next. */
export interface Stage<P extends Plan = Plan> {
  /** What is changed in it, with all that is not changed: dependents are checked in each. */
  readonly plan: P
  /** The stop that it ends at; undefined where it is the last. */
  readonly until: string | undefined
  /** The stop behind it, where it waits for an approval; undefined for the first. */
  readonly after: string | undefined
}

/** Returns the stops of an Environment. Throws `KK_UNKNOWN_RELEASE`. */
export function resolveStops(names: readonly string[] = [], prepared: Prepared): readonly Stop[] {
  return names.map((name) => ({name, releases: namedReleases(prepared, [name])}))
}

/** Returns the part of a plan that changes something first: up to a stop, what it names and what that requires. */
export function nextStage<P extends Plan>(plan: P, stops: readonly Stop[]): Stage<P> {
  const reached = new Set<ReleaseId>()
  let after: string | undefined
  for (const {name: until, releases} of stops) {
    const required = requirements(actionGraph(plan.actions), releases)
    for (const release of [...releases, ...required]) reached.add(release)
    const part = restrictPlan(plan, reached)
    if (part.actions.some(isChange)) return {plan: part, until, after}
    after = until
  }
  return {plan, until: undefined, after}
}

/** Returns a plan without the changes of other releases than these. */
function restrictPlan<P extends Plan>(plan: P, reached: ReadonlySet<ReleaseId>): P {
  const actions = plan.actions.filter((action) => !isChange(action) || reached.has(action.release))
  const kept = new Set(actions.map(({release}) => release))
  return {
    ...plan,
    actions: actions.map((action) => ({
      ...action,
      requires: action.requires.filter(({release}) => kept.has(release)),
      group: action.group.filter((release) => kept.has(release)),
    })),
  }
}

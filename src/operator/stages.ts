import {requirements} from '../graph/requirements.ts'
import {actionGraph} from '../plan/action-graph.ts'
import {isChange, type Plan} from '../plan/plan.ts'
import {namedReleases, type Prepared} from '../prepare/prepare.ts'
import type {ReleaseId} from '../release.ts'

/** A stop of `spec.approval.after`: a name in the environment file, and the releases that it refers to. */
interface Stop {
  readonly name: string
  readonly releases: readonly ReleaseId[]
}

/** The next part of a plan. */
export interface Stage<P extends Plan = Plan> {
  /** The changes of the stage, with all releases that are not changed: each stage checks dependents. */
  readonly plan: P
  /** The stop at its end; undefined for the last stage. */
  readonly until: string | undefined
  /** The stop before it, at which it waits for approval; undefined for the first stage. */
  readonly after: string | undefined
}

/** Resolves the names of stops to releases. Throws `KK_UNKNOWN_RELEASE`. */
export function resolveStops(names: readonly string[] = [], prepared: Prepared): readonly Stop[] {
  return names.map((name) => ({name, releases: namedReleases(prepared, [name])}))
}

/**
 * Returns the first stage with changes: the releases of the stops so far, with their requirements; else the
 * whole plan.
 */
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

/** Returns a plan without changes of releases other than these. */
function restrictPlan<P extends Plan>(plan: P, reached: ReadonlySet<ReleaseId>): P {
  const actions = plan.actions.filter((action) => !isChange(action) || reached.has(action.release))
  const remaining = new Set(actions.map(({release}) => release))
  return {
    ...plan,
    actions: actions.map((action) => ({
      ...action,
      requires: action.requires.filter(({release}) => remaining.has(release)),
      group: action.group.filter((release) => remaining.has(release)),
    })),
  }
}

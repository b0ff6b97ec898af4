import type {ActionKind, Plan, UntouchedRelease} from '../../plan/plan.ts'

export type PlanCounts = Readonly<Record<ActionKind | UntouchedRelease['state'], number>>

/** Returns the number of releases of each kind in a plan. */
export function planCounts(plan: Plan): PlanCounts {
  const counts = {
    install: 0,
    upgrade: 0,
    rollback: 0,
    remove: 0,
    await: 0,
    relabel: 0,
    adopt: 0,
    'hand-over': 0,
    prune: 0,
    check: 0,
    test: 0,
    unchanged: 0,
    'no-longer-wanted': 0,
    foreign: 0,
    'to-adopt': 0,
    kept: 0,
  }
  for (const {kind} of plan.actions) counts[kind]++
  for (const {state} of plan.bystanders) counts[state]++
  return counts
}

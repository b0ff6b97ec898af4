import type {Planned} from '../../src/operator/decision.ts'
import type {Plan} from '../../src/plan/plan.ts'

/** A plan that is decided on whole, with digests that nobody compares. */
export function plannedOf(plan: Plan): Planned {
  return {plan, stage: {plan, until: undefined, after: undefined}, digest: 'd', target: 't', state: 's'}
}

import {hasChanges, type Plan} from '../../plan/plan.ts'
import type {KnownAfterApply} from '../../verbs/preparation/rendering/known-after-apply.ts'
import {type PlanCounts, planCounts} from './plan-counts.ts'

/** The form of `kk plan --output json`. Fields are added, never renamed or taken away. */
export interface PlanDocument extends Plan {
  readonly changes: boolean
  readonly counts: PlanCounts
  /** The custom resources whose kind comes with the plan. They are validated when their turn comes. */
  readonly knownAfterApply?: readonly KnownAfterApply[]
}

/** Returns the plan as a document, with its keys in a fixed order. */
export function planDocument(plan: Plan, later: readonly KnownAfterApply[] = []): PlanDocument {
  const {context, server, uid, version} = plan.cluster
  return {
    environment: plan.environment,
    file: plan.file,
    cluster: {context, server, uid, version},
    changes: hasChanges(plan),
    counts: planCounts(plan),
    actions: plan.actions.map((action) => ({
      release: action.release,
      kind: action.kind,
      reasons: action.reasons,
      chart: {
        name: action.chart.name,
        version: action.chart.version,
        appVersion: action.chart.appVersion,
      },
      ...(action.installed !== undefined && {installed: action.installed}),
      requires: action.requires.map(({release, kind, inferred}) => ({
        release,
        kind,
        ...(inferred !== undefined && {inferred}),
      })),
      group: action.group,
      revision: action.revision,
      ...(action.recovers !== undefined && {recovers: action.recovers}),
      ...(action.target !== undefined && {target: action.target}),
      ...(action.uses !== undefined && {uses: action.uses}),
      inputs: action.inputs,
      protected: action.protected,
      ...(action.changes !== undefined && {changes: action.changes}),
      ...(action.recheck !== undefined && {recheck: action.recheck}),
      ...(action.rechecks !== undefined && {rechecks: action.rechecks}),
    })),
    bystanders: plan.bystanders.map(({release, state, owner, note}) => ({
      release,
      state,
      ...(owner !== undefined && {owner}),
      note,
    })),
    ...(plan.suffices !== undefined && {suffices: plan.suffices}),
    ...(plan.notes !== undefined && {notes: plan.notes}),
    ...(plan.newSecrets !== undefined && {newSecrets: plan.newSecrets}),
    ...(later.length > 0 && {knownAfterApply: later}),
  }
}

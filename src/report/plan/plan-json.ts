import {type ActionForecast, expectedOf} from '../../plan/forecast/action-forecast.ts'
import {type Action, hasChanges, type KindFacts, type Plan} from '../../plan/plan.ts'
import type {KnownAfterApply} from '../../prepare/rendering/known-after-apply.ts'
import type {HookData} from '../../verbs/change/hook-data.ts'
import {type PlanCounts, planCounts} from './plan-counts.ts'

/** The form of `kk plan --output json`. Fields are added, never renamed or removed. */
export interface PlanDocument extends Omit<Plan, 'actions'> {
  readonly actions: readonly ActionDocument[]
  readonly changes: boolean
  readonly counts: PlanCounts
  /** The custom resources whose CRD is part of the plan. They are validated right before they are applied. */
  readonly knownAfterApply?: readonly KnownAfterApply[]
  /** The data on the cluster that hooks delete. */
  readonly hookData?: readonly HookData[]
}

type SomeFacts = Pick<Action, 'release'> &
  Partial<KindFacts<'upgrade'> & KindFacts<'rollback'> & KindFacts<'relabel'> & KindFacts<'test'>>

/** An action with the fields of its kind. */
type ActionDocument = Pick<Action, keyof Action> & SomeFacts

/** Returns the plan as a document, with its keys in a fixed order. */
export function planDocument(
  plan: Plan,
  later: readonly KnownAfterApply[] = [],
  hookData: readonly HookData[] = [],
): PlanDocument {
  const {context, server, uid, version} = plan.cluster
  return {
    environment: plan.environment,
    file: plan.file,
    cluster: {context, server, uid, version},
    changes: hasChanges(plan),
    counts: planCounts(plan),
    actions: plan.actions.map(actionDocument),
    bystanders: plan.bystanders.map(({release, state, owner, note}) => ({
      release,
      state,
      ...(owner !== undefined && {owner}),
      note,
    })),
    ...(plan.suffices !== undefined && {suffices: plan.suffices}),
    ...(plan.notes !== undefined && {notes: plan.notes}),
    ...(plan.newSecrets !== undefined && {newSecrets: plan.newSecrets}),
    ...(plan.forecast !== undefined && {forecast: plan.forecast.map(forecastDocument)}),
    ...(later.length > 0 && {knownAfterApply: later}),
    ...(hookData.length > 0 && {hookData}),
  }
}

function forecastDocument(forecast: ActionForecast): ActionForecast {
  const {release, seconds, users, instances, migrations, replacesImages} = forecast
  const expected = expectedOf({...forecast, seconds: Math.round(seconds)})
  return {release, ...expected, users, instances, migrations, replacesImages}
}

function actionDocument(action: Action): ActionDocument {
  const {installed, recovers, target, uses, recheck, rechecks, userTestOf, follows}: SomeFacts = action
  return {
    release: action.release,
    kind: action.kind,
    reasons: action.reasons,
    chart: {
      name: action.chart.name,
      version: action.chart.version,
      appVersion: action.chart.appVersion,
    },
    ...(installed !== undefined && {installed}),
    requires: action.requires.map(({release, kind, inferred}) => ({
      release,
      kind,
      ...(inferred !== undefined && {inferred}),
    })),
    group: action.group,
    revision: action.revision,
    ...(recovers !== undefined && {recovers}),
    ...(target !== undefined && {target}),
    ...(uses !== undefined && {uses}),
    inputs: action.inputs,
    protected: action.protected,
    ...(action.changes !== undefined && {changes: action.changes}),
    ...(recheck !== undefined && {recheck}),
    ...(rechecks !== undefined && {rechecks}),
    ...(userTestOf !== undefined && {userTestOf}),
    ...(follows !== undefined && {follows}),
  }
}

import {KkError} from '../../base/errors.ts'
import {SCHEMA} from '../../plan/digest.ts'
import {layersOf} from '../../plan/labels.ts'
import type {Action} from '../../plan/plan.ts'
import {planDifferences} from '../../plan/saved/plan-differences.ts'
import {SAVED_FORMAT, type SavedPlan, type SavedRelease, savedRecord} from '../../plan/saved/saved-plan.ts'
import type {PlannedChange} from './planned-change.ts'

/** The fields of a saved plan that are not in the plan itself. */
export type SavedPlanMetadata = Pick<SavedPlan, 'kk' | 'savedAt' | 'scope' | 'values'> & {
  readonly path: Pick<SavedPlan['environment'], 'absolute' | 'relative'>
}

/** Returns a plan to save, with the digests of its inputs. Contains no values. */
export function savedPlan(
  {plan, records, prepared}: Pick<PlannedChange, 'plan' | 'records' | 'prepared'>,
  {kk, savedAt, scope, values, path}: SavedPlanMetadata,
): SavedPlan {
  const {context, server, uid, version} = plan.cluster
  const release = (action: Action): SavedRelease => {
    const desired = prepared.releases.get(action.release)?.desired
    const record = records.get(action.release)
    const edges = prepared.graph.requirements.get(action.release) ?? []
    return {
      release: action.release,
      kind: action.kind,
      chart: {name: action.chart.name, version: action.chart.version},
      inputs: action.inputs,
      layers: desired ? Object.fromEntries(layersOf(desired)) : {},
      requires: edges.map(({to, kind}) => `${to}:${kind}`).sort(),
      stated: desired?.stated ?? false,
      protected: action.protected,
      record: record ? savedRecord(record) : null,
    }
  }
  return {
    kind: 'kk-plan',
    format: SAVED_FORMAT,
    kk,
    schema: SCHEMA,
    savedAt,
    verb: scope.names.length === 0 ? 'deploy' : 'upgrade',
    scope,
    environment: {name: plan.environment, file: plan.file, ...path},
    values,
    cluster: {context, server, uid, version},
    releases: plan.actions.map(release),
  }
}

interface Now {
  /** The version of kk. */
  readonly kk: string
  /** The arguments of the command that saves such a plan of the present state. */
  readonly saveArguments: string
  readonly planned: PlannedChange
}

/** Throws `KK_MOVED` with all changes since the plan was saved; `file` is the path of the plan. */
export function expectPlanCurrent(saved: SavedPlan, file: string, {kk, saveArguments, planned}: Now): void {
  const {savedAt, scope, values, environment} = saved
  const now = savedPlan(planned, {kk, savedAt, scope, values, path: environment})
  const changes = planDifferences(saved, now)
  if (changes.length === 0) return
  throw new KkError(
    'KK_MOVED',
    [
      `${file} does not match the present state; nothing was changed`,
      ...changes.map((what) => `  ${what}`),
    ].join('\n'),
    {hint: `review a plan of the present state, and have it approved: kk plan ${saveArguments}`},
  )
}

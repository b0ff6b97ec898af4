import {KkError} from '../../base/errors.ts'
import {SCHEMA} from '../../plan/digest.ts'
import {layersOf} from '../../plan/labels.ts'
import type {Action} from '../../plan/plan.ts'
import {moved} from '../../plan/saved/moved.ts'
import {SAVED_FORMAT, type SavedPlan, type SavedRelease, savedRecord} from '../../plan/saved/saved-plan.ts'
import type {PlannedChange} from './planned-change.ts'

/** What of a saved plan is not in the plan itself. */
export type SavedHow = Pick<SavedPlan, 'kk' | 'savedAt' | 'scope' | 'values'> & {
  readonly path: Pick<SavedPlan['environment'], 'absolute' | 'relative'>
}

/** A plan as it is saved, with the digests of all that it was made of. Holds no values. */
export function savedPlan(
  {plan, records, prepared}: Pick<PlannedChange, 'plan' | 'records' | 'prepared'>,
  {kk, savedAt, scope, values, path}: SavedHow,
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
  /** The arguments of the command that saves such a plan of what would be done now. */
  readonly again: string
  readonly planned: PlannedChange
}

/** Throws `KK_MOVED`, naming everything that moved since the plan was saved; `file` is where it was read from. */
export function expectUnmoved(saved: SavedPlan, file: string, {kk, again, planned}: Now): void {
  const {savedAt, scope, values, environment} = saved
  const now = savedPlan(planned, {kk, savedAt, scope, values, path: environment})
  const all = moved(saved, now)
  if (all.length === 0) return
  throw new KkError(
    'KK_MOVED',
    [`${file} is not what would be done now; nothing was changed`, ...all.map((what) => `  ${what}`)].join(
      '\n',
    ),
    {hint: `look at what would be done now, and have that approved: kk plan ${again}`},
  )
}

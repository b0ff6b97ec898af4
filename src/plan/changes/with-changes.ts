import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {ReleaseId} from '../../release.ts'
import {CHART_FILES_CHANGED, DROPPED_FLAG_REASONS} from '../decision/reasons.ts'
import {type Action, type DeployKind, hasChanges, type Plan} from '../plan.ts'
import type {ChangeKind} from './change-kind.ts'
import {sufficientVerb} from './change-verb.ts'

/**
 * Returns the plan with the changes of each action, and the narrowest verb that makes all of them. `upgrades`
 * has the changes of the upgraded releases; for the others the kind of the action decides.
 */
export function withChanges(
  plan: Plan<DeployKind>,
  upgrades: ReadonlyMap<ReleaseId, readonly ChangeKind[]>,
): Plan<DeployKind> {
  const actions = plan.actions.map(
    (action): Action<DeployKind> => ({
      ...action,
      changes: upgrades.get(action.release) ?? changesOfKind(action),
    }),
  )
  if (!hasChanges(plan)) return {...plan, actions}
  return {...plan, actions, suffices: sufficientVerb(actions.flatMap(({changes = []}) => changes))}
}

/**
 * Returns the plan with the names of dropped values in the reasons: `--set` set these values at the last
 * deploy and no layer sets them now. `paths` has them for the releases whose values differ in nothing else.
 */
export function withDroppedSets(
  plan: Plan<DeployKind>,
  paths: ReadonlyMap<ReleaseId, readonly string[]>,
): Plan<DeployKind> {
  const describeReasons = ({release, reasons}: Action) => {
    const dropped = paths.get(release) ?? []
    const names = dropped.slice(0, NAMED).join(', ')
    const more = dropped.length > NAMED ? ` and ${dropped.length - NAMED} more` : ''
    return reasons.map((reason) =>
      reason === DROPPED_FLAG_REASONS.set && dropped.length > 0 ? `no longer set: ${names}${more}` : reason,
    )
  }
  return {...plan, actions: plan.actions.map((action) => ({...action, reasons: describeReasons(action)}))}
}

/** The maximum number of values that a reason names; there may be hundreds. */
const NAMED = 5

/**
 * Returns the plan with a reason for upgrades whose pods kk replaces node by node, however long that takes.
 */
export function withNodeRolls(
  plan: Plan<DeployKind>,
  sets: ReadonlyMap<ReleaseId, readonly string[]>,
): Plan<DeployKind> {
  const actions = plan.actions.map((action): Action<DeployKind> => {
    const names = sets.get(action.release) ?? []
    if (names.length === 0) return action
    const reason = `pods of ${names.join(', ')} are replaced node by node, if they change`
    return {...action, reasons: [...action.reasons, reason]}
  })
  return {...plan, actions}
}

function changesOfKind({kind}: Action): readonly ChangeKind[] {
  if (kind === 'install') return ['new-release']
  return kind === 'relabel' ? ['standing'] : []
}

type RecordedChart = Pick<StoredRelease['chart'], 'name' | 'version' | 'appVersion'>

/**
 * Returns the plan with the installed chart next to the chart of each upgrade. Labels hold no appVersion, so
 * only the record, in `installed`, shows a different one: then the reason names it, instead of changed files.
 */
export function withVersions(
  plan: Plan<DeployKind>,
  installed: ReadonlyMap<ReleaseId, RecordedChart>,
): Plan<DeployKind> {
  const actions = plan.actions.map((action) => {
    const chart = installed.get(action.release)
    return chart && action.kind === 'upgrade' ? withVersion(action, chart) : action
  })
  return {...plan, actions}
}

function withVersion(
  action: Action<'upgrade'>,
  {name, version, appVersion}: RecordedChart,
): Action<'upgrade'> {
  const {chart} = action
  const installed = {name, version, appVersion}
  if (chart.name !== name) return {...action, installed}
  const versions = [
    ...(chart.version === version ? [] : [`chart version ${version} → ${chart.version}`]),
    ...(chart.appVersion === appVersion
      ? []
      : [`appVersion ${appVersion || '(none)'} → ${chart.appVersion || '(none)'}`]),
  ]
  const isOfChart = (reason: string) => reason === CHART_FILES_CHANGED || reason.startsWith('chart version ')
  if (versions.length === 0) return {...action, installed}
  const reasons = action.reasons.flatMap((reason) => (isOfChart(reason) ? versions : [reason]))
  return {...action, reasons, installed}
}

import type {StoredRelease} from '../../cluster/cluster.ts'
import type {ReleaseId} from '../../release.ts'
import {CHART_FILES_CHANGED} from '../decision/reasons.ts'
import type {Action, Plan} from '../plan.ts'

type RecordedChart = Pick<StoredRelease['chart'], 'name' | 'version' | 'appVersion'>

/**
 * The plan with the chart that is installed beside the one of each upgrade. Labels hold no appVersion, so only the record,
 * as `installed` has it, tells that a chart has another: then its reason says so, and not that files changed.
 */
export function withVersions(plan: Plan, installed: ReadonlyMap<ReleaseId, RecordedChart>): Plan {
  const actions = plan.actions.map((action): Action => {
    const chart = installed.get(action.release)
    return chart ? withVersion(action, chart) : action
  })
  return {...plan, actions}
}

function withVersion(action: Action, {name, version, appVersion}: RecordedChart): Action {
  const {chart} = action
  const installed = {name, version, appVersion}
  if (chart.name !== name) return {...action, installed}
  const told = [
    ...(chart.version === version ? [] : [`chart version ${version} → ${chart.version}`]),
    ...(chart.appVersion === appVersion
      ? []
      : [`appVersion ${appVersion || '(none)'} → ${chart.appVersion || '(none)'}`]),
  ]
  const isOfChart = (reason: string) => reason === CHART_FILES_CHANGED || reason.startsWith('chart version ')
  if (told.length === 0) return {...action, installed}
  const reasons = action.reasons.flatMap((reason) => (isOfChart(reason) ? told : [reason]))
  return {...action, reasons, installed}
}

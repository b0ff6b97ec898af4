import type {ReleaseRecord} from '../cluster/cluster.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {readLabels} from './labels.ts'
import type {Action} from './plan.ts'

/** All that metadata tells of a chart which this environment does not have. */
export function recordedChart(release: ReleaseId, record: ReleaseRecord | undefined): Action['chart'] {
  const text = (record && readLabels(record.labels)?.chart) ?? releaseName(release)
  const [, name = text, version = ''] = /^(.+?)-(\d.*)$/.exec(text) ?? []
  return {name, version, appVersion: ''}
}

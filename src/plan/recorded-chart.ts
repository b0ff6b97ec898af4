import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {readLabels} from './labels.ts'
import type {Action} from './plan.ts'

/**
 * Returns the chart as far as metadata shows it, for a release whose chart this environment does not have.
 */
export function recordedChart(release: ReleaseId, record: ReleaseRecord | undefined): Action['chart'] {
  const text = (record && readLabels(record.labels)?.chart) ?? releaseName(release)
  const [, name = text, version = ''] = /^(.+?)-(\d.*)$/.exec(text) ?? []
  return {name, version, appVersion: ''}
}

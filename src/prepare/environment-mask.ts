import {asKkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import type {Layer} from '../overrides/layer.ts'
import {readLabels} from '../plan/labels.ts'
import type {Plan} from '../plan/plan.ts'
import {type Redact, redactor} from '../redact/redact.ts'
import type {ReleaseId} from '../release.ts'
import {visibleRecords} from './visible-records.ts'

interface Layered {
  readonly layers: readonly Layer[]
}

/** Returns a function that masks the secret values of all releases of an environment. */
export function preparedMask({releases}: {readonly releases: ReadonlyMap<ReleaseId, Layered>}): Redact {
  return layersMask(releases.values())
}

/** Returns a function that masks the secret values in the layers of any of these releases. */
export function layersMask(releases: Iterable<Layered>): Redact {
  const layerValues = [...releases].flatMap(({layers}) => layers.map(({values}) => values))
  return redactor({given: layerValues})
}

/**
 * Returns a function that masks the secret values with which the releases of the plan's environment were
 * deployed. It reads them from helm's records, for callers without the environment file. Secrets of
 * unreadable records are not masked.
 */
export async function recordedMask(
  cluster: {readonly records: Records},
  plan: Pick<Plan, 'environment' | 'actions'>,
): Promise<Redact> {
  const seen = await visibleRecords(
    cluster,
    plan.actions.map(({release}) => release),
  )
  const own = seen.records.filter(({labels}) => readLabels(labels)?.owner === plan.environment)
  const recordedSecrets = await mapParallel(own, (record) => recordedValues(cluster.records, record))
  return redactor({given: recordedSecrets})
}

async function recordedValues(records: Records, {release, revision}: ReleaseRecord) {
  try {
    return (await records.stored(release, revision))?.values ?? {}
  } catch (error) {
    const {code} = asKkError(error)
    if (code === 'KK_RECORD' || code === 'KK_FORBIDDEN') return {}
    throw error
  }
}

import type {Cluster, ReleaseRecord} from '../cluster/cluster.ts'
import {mapParallel} from '../cluster/parallel.ts'
import {asKkError} from '../errors.ts'
import {type Redact, redactor} from '../helm/redact/redact.ts'
import {readLabels} from '../plan/labels.ts'
import type {Plan} from '../plan/plan.ts'
import type {Prepared} from './preparation/prepare.ts'
import {seenRecords} from './preparation/seen-records.ts'

/** How many records are read at once: each is up to 1 MiB. */
const READERS = 4

/** Masks what is secret among the values that an environment gives to any of its releases. */
export function preparedMask({releases}: Pick<Prepared, 'releases'>): Redact {
  const given = [...releases.values()].flatMap(({layers}) => layers.map(({values}) => values))
  return redactor({given})
}

/**
 * Masks what is secret among the values that the releases of the plan's environment were deployed with, for who has no
 * file of it. A record that cannot be read hides its secrets from nobody but kk.
 */
export async function recordedMask(
  cluster: Pick<Cluster, 'records' | 'stored'>,
  plan: Plan,
): Promise<Redact> {
  const seen = await seenRecords(
    cluster,
    plan.actions.map(({release}) => release),
  )
  const own = seen.records.filter(({labels}) => readLabels(labels)?.owner === plan.environment)
  const given = await mapParallel(own, READERS, (record) => valuesOf(cluster, record))
  return redactor({given})
}

async function valuesOf(cluster: Pick<Cluster, 'stored'>, {release, revision}: ReleaseRecord) {
  try {
    return (await cluster.stored(release, revision))?.values ?? {}
  } catch (error) {
    const {code} = asKkError(error)
    if (code === 'KK_RECORD' || code === 'KK_FORBIDDEN') return {}
    throw error
  }
}

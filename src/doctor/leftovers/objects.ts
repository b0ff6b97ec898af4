import {asKkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {releaseName} from '../../release.ts'
import type {Examination} from '../facts.ts'
import type {Check, CheckFinding} from '../finding.ts'
import {type Leftover, leftovers} from './leftovers.ts'

/** Finds objects that only a failed revision created. */
export const objectsCheck: Check = {
  name: 'forgotten',
  okMessage: 'no leftover objects of failed revisions',
  async run({cluster, everyRecord, place, prepared}) {
    const {records} = await everyRecord()
    const last = [...lastRevisions(records).values()]
    const file = prepared ? place : `FILE ${place}`.trim()
    const findings = await mapParallel(last, async (record) =>
      judgeObjects(record, await leftOf(cluster, record, records), {place, file}),
    )
    return findings.flat()
  },
}

/**
 * Returns the leftovers of a release; none if a record cannot be read, which is the finding of another check.
 */
async function leftOf(
  cluster: Examination['cluster'],
  {release}: ReleaseRecord,
  records: readonly ReleaseRecord[],
): Promise<readonly Leftover[]> {
  try {
    return await leftovers(cluster, release, records)
  } catch (error) {
    const {code} = asKkError(error)
    if (code !== 'KK_RECORD' && code !== 'KK_RENDER' && code !== 'KK_YAML') throw error
    return []
  }
}

interface Places {
  /** The arguments that follow a kk command. */
  readonly place: string
  /** The arguments that follow a kk command which needs the environment's file. */
  readonly file: string
}

/**
 * Returns the finding for the leftovers of a release. It advises a deploy before pruning if the last revision
 * failed, because that may need them; objects with data, or with a keep policy, are never pruned.
 */
export function judgeObjects(
  {release, status}: Pick<ReleaseRecord, 'release' | 'status'>,
  leftovers: readonly Leftover[],
  {place, file}: Places,
): readonly CheckFinding[] {
  if (leftovers.length === 0) return []
  const names = leftovers.map(
    ({kind, name, kept}) => `${kind}/${name}${kept === undefined ? '' : ' (stays)'}`,
  )
  const what = `a failed revision of ${release} created ${names.join(', ')}, which helm no longer tracks`
  if (leftovers.every(({kept}) => kept !== undefined)) return [{level: 'info', what}]
  const prune = `kk drift ${releaseName(release)} --prune ${place}`.trim()
  const advice = status === 'deployed' ? prune : `kk deploy ${file} && ${prune}`
  return [{level: 'warning', what, advice}]
}

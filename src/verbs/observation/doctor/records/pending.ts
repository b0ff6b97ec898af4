import {readLabels} from '../../../../plan/labels.ts'
import type {ObservedRecord} from '../../../../plan/pending/evidence.ts'
import {unfinished} from '../../../../plan/refusals.ts'
import {releaseName} from '../../../../release.ts'
import type {Check, Found} from '../finding.ts'

/** Operations that have not ended, with what is known of who left them, or is at work. */
export const pendingCheck: Check = {
  name: 'pending',
  needs: 'cluster',
  fine: 'no operation on a release has been left half done',
  async find({last, prepared, place}) {
    const own = prepared?.environment.name
    const isOwn = ({labels}: ObservedRecord) => own !== undefined && readLabels(labels)?.owner === own
    return (await last()).flatMap((record) => judgePending(record, isOwn(record) ? place : undefined))
  },
}

/** `place` stands behind the command that mends, for the environment that has the release; undefined where its file is not at hand. */
export function judgePending(record: ObservedRecord, place: string | undefined): readonly Found[] {
  const refusal = unfinished(record)
  if (!refusal) return []
  const {status, evidence} = record
  const isHarmless = evidence?.state === 'running' || status === 'uninstalled'
  const isRecovered = status === 'uninstalled' || evidence?.state === 'stale'
  const mends = status === 'uninstalling' ? `kk remove ${releaseName(record.release)}` : 'kk deploy'
  const advice = isRecovered && place !== undefined ? `${mends} ${place}` : refusal.hint
  return [
    {
      level: isHarmless ? 'info' : 'problem',
      what: refusal.message,
      ...(advice !== undefined && {advice}),
    },
  ]
}

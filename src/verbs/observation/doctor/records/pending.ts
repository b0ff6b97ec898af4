import type {ObservedRecord} from '../../../../plan/pending/evidence.ts'
import {unfinished} from '../../../../plan/refusals.ts'
import type {Check, Found} from '../finding.ts'

/** Operations that have not ended, with what is known of who left them, or is at work. */
export const pendingCheck: Check = {
  name: 'pending',
  needs: 'cluster',
  fine: 'no operation on a release has been left half done',
  find: async ({last}) => (await last()).flatMap(judgePending),
}

export function judgePending(record: ObservedRecord): readonly Found[] {
  const refusal = unfinished(record)
  if (!refusal) return []
  const isAtWork = record.evidence?.state === 'running'
  const isHarmless = isAtWork || record.status === 'uninstalled'
  const advice = refusal.hint === undefined ? {} : {advice: refusal.hint}
  return [{level: isHarmless ? 'info' : 'problem', what: refusal.message, ...advice}]
}

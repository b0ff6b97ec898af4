import type {ReadRecord} from '../facts.ts'
import type {Check, Found} from '../finding.ts'

/** A Secret holds at most 1 MiB (Kubernetes 1.36: MaxSecretSize). */
const MOST = 2 ** 20
const MUCH = 700_000

/** Helm keeps chart, values and manifest in one Secret: when that is full, nothing can be upgraded any more. */
export const recordSizeCheck: Check = {
  name: 'record-size',
  needs: 'cluster',
  fine: 'no record is near the limit of 1 MiB',
  find: async ({readRecords}) => judgeSizes(await readRecords()),
}

export function judgeSizes(records: readonly ReadRecord[]): readonly Found[] {
  return records.flatMap((each): readonly Found[] => {
    if (!('bytes' in each) || each.bytes <= MUCH) return []
    const {release, revision} = each.record
    const share = Math.floor((each.bytes / MOST) * 100)
    const what = `the record of ${release}, revision ${revision}, has ${Math.round(each.bytes / 1000)} kB, ${share} % of what a Secret holds: an upgrade that needs more will fail`
    const advice = `keep what is not a template out of the chart of ${release}, with .helmignore, and large texts out of its values`
    return [{level: 'warning', what, advice}]
  })
}

import {mapParallel} from '../../../../cluster/parallel.ts'
import {releaseName} from '../../../../release.ts'
import {type Leftover, leftovers} from '../../leftovers.ts'
import type {Check, Found} from '../finding.ts'

const READERS = 4

/** Objects that only a failed revision made. */
export const forgottenCheck: Check = {
  name: 'forgotten',
  needs: 'cluster',
  fine: 'no object is left of a revision that failed',
  async find({cluster, everyRecord, place}) {
    const {records} = await everyRecord()
    const releases = [...new Set(records.map(({release}) => release))]
    const found = await mapParallel(releases, READERS, async (release) =>
      judgeForgottenObjects(releaseName(release), await leftovers(cluster, release, records), place),
    )
    return found.flat()
  },
}

export function judgeForgottenObjects(
  release: string,
  left: readonly Leftover[],
  place: string,
): readonly Found[] {
  if (left.length === 0) return []
  const names = left.map(({kind, name}) => `${kind}/${name}`).join(', ')
  const what = `a failed revision of ${release} made ${names}, which helm has forgotten`
  return [{level: 'warning', what, advice: `kk drift ${release} --prune ${place}`.trim()}]
}

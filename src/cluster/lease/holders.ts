import type {ReleaseId} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import type {Holder} from '../cluster.ts'
import {allLeases, leaseName} from './lease.ts'
import {standingOf} from './standing.ts'

/**
 * Who holds these releases now, in their order. A Lease whose holder was killed counts until it has run out, unless it is
 * seen from here that the process is gone.
 */
export async function listHolders(
  client: ApiClient,
  releases: readonly ReleaseId[],
): Promise<readonly Holder[]> {
  const all = await allLeases(client)
  const leases = new Map(all.map((lease) => [lease.metadata.name, lease]))
  const found = await Promise.all(
    releases.map(async (release) => {
      const lease = leases.get(leaseName(release))
      if (!lease?.spec?.holderIdentity) return []
      const {isGone, by} = await standingOf(release, lease)
      return isGone ? [] : [{release, holder: by}]
    }),
  )
  return found.flat()
}

import type {ReleaseId} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, LEASES, resourcePath} from '../api/resources.ts'
import type {Holder} from '../cluster.ts'
import {KK_NAMESPACE, type Lease, leaseName} from './lease.ts'

/** Who holds these releases now, in their order. A Lease whose holder was killed counts until it has run out. */
export async function listHolders(
  client: ApiClient,
  releases: readonly ReleaseId[],
): Promise<readonly Holder[]> {
  const {items} = await listAll<Lease>(client, {
    path: resourcePath(LEASES, KK_NAMESPACE),
    asked: asking('list', LEASES, KK_NAMESPACE),
  })
  const holders = new Map(items.map(({metadata, spec}) => [metadata.name, spec?.holderIdentity]))
  return releases.flatMap((release) => {
    const holder = holders.get(leaseName(release))
    return holder ? [{release, holder}] : []
  })
}

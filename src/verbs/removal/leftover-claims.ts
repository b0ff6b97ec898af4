import type {Leases} from '../../kubernetes/lease/leases.ts'
import {OPERATION} from '../../kubernetes/lease/operation.ts'
import type {Claim, LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {RunRecords} from '../../kubernetes/records/runs.ts'
import type {ReleaseId} from '../../release.ts'
import {raced} from '../../run/execute/races.ts'
import {claimsIn} from './live-claims.ts'

/** A claim of a removed release that still exists because its removal was interrupted. */
export interface LeftoverClaim extends Claim {
  readonly release: ReleaseId
  /** The run of the removal. */
  readonly run: string
  readonly names: readonly string[]
}

/**
 * Returns the claims that removals of an environment have left. The records of these runs contain the UID of
 * each claim, so claims that were re-created, or created by others, are not included.
 */
export async function leftoverClaims(
  cluster: {readonly runs: RunRecords; readonly live: LiveObjects},
  environment: string,
  isGone: (release: ReleaseId) => boolean,
): Promise<readonly LeftoverClaim[]> {
  const recorded = (await cluster.runs.list(environment)).flatMap(({id, scope, releases}) =>
    releases
      .filter(({release, outcome}) => outcome !== 'succeeded' && isGone(release))
      .flatMap(({release, claims = []}) =>
        claims.map((claim) => ({...claim, release, run: id, names: scope.names})),
      ),
  )
  const namespaces = recorded.map(({namespace}) => namespace)
  const live = new Map((await claimsIn(cluster.live, namespaces)).map((claim) => [claim.uid, claim]))
  const existing = recorded.flatMap(({uid, release, run, names}) => {
    const claim = live.get(uid)
    return claim ? [{...claim, release, run, names}] : []
  })
  return [...new Map(existing.map((claim) => [claim.uid, claim])).values()]
}

interface Deleting {
  /** The holder that others see on the Lease. */
  readonly holder: string
  /** The time to wait for another holder of a release, in milliseconds. */
  readonly patience: number
  readonly onHeld: (release: ReleaseId, by: string) => void
}

/**
 * Deletes claims while holding the Leases of their releases. Throws `KK_HELD`; `KK_RACED` if a release is
 * installed.
 */
export async function deleteLeftoverClaims(
  cluster: {readonly leases: Leases; readonly records: Records; readonly live: LiveObjects},
  claims: readonly LeftoverClaim[],
  {holder, patience, onHeld}: Deleting,
): Promise<void> {
  for (const [release, own] of Map.groupBy(claims, (claim) => claim.release)) {
    const hold = await cluster.leases.hold(release, holder, Date.now() + patience, {
      onHeld: (by) => onHeld(release, by),
    })
    try {
      if (await cluster.records.last(release)) throw raced(release, 'it is installed again')
      for (const claim of own) await cluster.live.deleteClaim(claim)
      // The operation in the Lease has ended long ago and is no longer evidence.
      await hold.annotate({[OPERATION]: null})
    } finally {
      await hold.release().catch(() => undefined)
    }
  }
}

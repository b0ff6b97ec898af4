import type {SeenClaim} from '../../kubernetes/diagnosis/diagnosis.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {RunRecord} from '../../kubernetes/records/runs.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import type {Check, CheckFinding} from '../finding.ts'

/**
 * Finds claims of removed releases: helm keeps the claims of StatefulSets, and kk deletes them only on
 * request.
 */
export const claimsCheck: Check = {
  name: 'claims',
  okMessage: 'no claims of removed releases',
  async run({cluster, last, kubectl}) {
    const [claims, records, runs] = await Promise.all([
      cluster.diagnosis.claims(),
      last(),
      cluster.runs.list(),
    ])
    const leftovers = leftoverClaims(claims, records, runs)
    const namespaces = [...new Set(leftovers.map(({claim}) => claim.namespace))]
    const mounted = await Promise.all(namespaces.map((each) => cluster.diagnosis.mountedClaims(each)))
    const inUse = new Set(mounted.flatMap((each) => [...each]))
    return judgeClaims(
      leftovers.filter(({claim}) => !inUse.has(`${claim.namespace}/${claim.name}`)),
      kubectl,
    )
  },
}

interface LeftoverClaim {
  readonly claim: SeenClaim
  readonly release: ReleaseId
}

/**
 * Returns the claims of removed releases. The release of a claim is the one in its annotations and labels or,
 * for a claim with a label of the chart, a release with that name that a run of kk removed there. Other
 * claims are skipped.
 */
function leftoverClaims(
  claims: readonly SeenClaim[],
  records: readonly Pick<ReleaseRecord, 'release'>[],
  runs: readonly Pick<RunRecord, 'releases'>[],
): readonly LeftoverClaim[] {
  const releasesWithRecord = new Set(records.map(({release}) => release))
  const removed = new Set(
    runs
      .flatMap(({releases}) => releases)
      .filter(({kind, outcome}) => kind === 'remove' && outcome === 'succeeded')
      .map(({release}) => release),
  )
  return claims.flatMap((claim) => {
    const candidates = Object.values(claim.labels).map((value) => releaseId(claim.namespace, value))
    const release = claim.release ?? candidates.find((each) => removed.has(each))
    return release === undefined || releasesWithRecord.has(release) ? [] : [{claim, release}]
  })
}

function judgeClaims(leftovers: readonly LeftoverClaim[], kubectl: string): readonly CheckFinding[] {
  return leftovers.map(({claim: {namespace, name}, release}) => ({
    level: 'info',
    what: `the claim ${namespace}/${name} contains data of ${release}, which is removed; deleting it deletes the data`,
    advice: `${kubectl} delete persistentvolumeclaim ${name} --namespace ${namespace}`,
  }))
}

import {asKkError, KkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import {suggest} from '../base/suggest.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {claimsOf, type StatefulSet} from '../kubernetes/guard/claims.ts'
import type {Approval, ApprovedObject, GuardParameters} from '../kubernetes/guard/guard.ts'
import {liveApprovals} from '../kubernetes/guard/parameters.ts'
import {parseManifest} from '../kubernetes/manifest/manifest.ts'
import type {Records} from '../kubernetes/records/records.ts'
import {readLabels} from '../plan/labels.ts'
import {isNamed, type ReleaseId, releaseName, releaseNamespace} from '../release.ts'

/** The changes that `kk guard install` would make. */
export interface GuardPlan {
  readonly parameters: GuardParameters
  /** The resource version of the parameters read; empty if they do not exist yet. */
  readonly resourceVersion: string
  readonly added: readonly ReleaseId[]
  /** Releases that are guarded now, but no longer protected or installed. */
  readonly dropped: readonly ReleaseId[]
}

export interface GuardStatus {
  readonly supported: boolean
  readonly installed: boolean
  readonly enforced: boolean
  readonly faults: readonly string[]
  /** Releases that are guarded, and protected ones that are not. */
  readonly releases: readonly {readonly release: ReleaseId; readonly guarded: boolean}[]
  readonly approvals: readonly (Approval & {readonly state: 'open' | 'ran out'})[]
}

export interface ApprovalRequest {
  /** `namespace/name`, or only the name if it is unique. */
  readonly names: readonly string[]
  readonly seconds: number
  /** Whether the namespaces may be deleted, too. */
  readonly namespace: boolean
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The approvals that `kk guard approve` would write. */
export interface ApprovalPlan {
  readonly approvals: readonly Approval[]
  readonly parameters: GuardParameters
  readonly resourceVersion: string
}

/**
 * Compares the protected releases of the whole cluster with those that the guard protects. Throws
 * `KK_NO_GUARD` if the cluster cannot have a guard, and `KK_NOT_INSTALLED` if nothing is protected.
 */
export async function planGuard(cluster: Cluster, now: number): Promise<GuardPlan> {
  await requireSupport(cluster)
  const [isProtected, state] = await Promise.all([protectedReleases(cluster), cluster.guard.read()])
  const before = state?.parameters.releases ?? []
  if (isProtected.length === 0 && before.length === 0) throw nothingProtected(cluster)
  const claims = new Map(
    [
      ...(state?.parameters.claims ?? []),
      ...(await recordedClaims(cluster.records, isProtected)),
      ...(await cluster.guard.claims(isProtected)),
    ].filter(([, release]) => isProtected.includes(release)),
  )
  const approvals = state ? liveApprovals(state.parameters, now) : []
  return {
    parameters: {releases: isProtected, claims, approvals},
    resourceVersion: state?.resourceVersion ?? '',
    added: isProtected.filter((release) => !before.includes(release)),
    dropped: before.filter((release) => !isProtected.includes(release)),
  }
}

/** Returns whether there is a guard, which releases it protects, and which approvals exist. */
export async function guardStatus(cluster: Cluster, now: number): Promise<GuardStatus> {
  const supported = await cluster.guard.supported()
  const [isProtected, state] = await Promise.all([
    protectedReleases(cluster),
    supported ? cluster.guard.read() : undefined,
  ])
  const guarded = state?.parameters.releases ?? []
  return {
    supported,
    installed: state !== undefined,
    enforced: state?.enforced ?? false,
    faults: state?.faults ?? [],
    releases: [...new Set([...guarded, ...isProtected])]
      .sort()
      .map((release) => ({release, guarded: guarded.includes(release)})),
    approvals: (state?.parameters.approvals ?? []).map((approval) => ({
      ...approval,
      state: approval.expires * 1000 > now ? 'open' : 'ran out',
    })),
  }
}

/**
 * Returns the objects of these releases that may be deleted, and until when; expired approvals are dropped.
 * Returns undefined when there is no guard. Throws `KK_UNKNOWN_RELEASE` for a release that is not guarded.
 */
export async function planApproval(
  cluster: Cluster,
  request: ApprovalRequest,
): Promise<ApprovalPlan | undefined> {
  const state = await cluster.guard.read()
  if (!state) return undefined
  const {parameters, resourceVersion} = state
  const releases = [...new Set(request.names.map((name) => guardedRelease(parameters, name)))]
  const expires = Math.ceil(request.now / 1000) + request.seconds
  const approvals = await Promise.all(
    releases.map(async (release) => {
      const objects = await cluster.guard.objects(release, {parameters, namespace: request.namespace})
      return {release, expires, by: request.by, objects}
    }),
  )
  const otherApprovals = liveApprovals(parameters, request.now).filter(
    ({release}) => !releases.includes(release),
  )
  return {
    approvals,
    parameters: {...parameters, approvals: [...otherApprovals, ...approvals]},
    resourceVersion,
  }
}

/** Returns the releases that are not guarded against helm and kubectl; none if the guard cannot be read. */
export async function unguarded(
  cluster: Cluster,
  releases: readonly ReleaseId[],
): Promise<readonly ReleaseId[]> {
  if (releases.length === 0) return []
  try {
    const guarded = (await cluster.guard.parameters())?.releases ?? []
    return releases.filter((release) => !guarded.includes(release))
  } catch {
    return []
  }
}

/** Returns an object's kind and name, for display. */
export function objectText({kind, namespace, name}: ApprovedObject): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
}

async function requireSupport(cluster: Cluster): Promise<void> {
  if (await cluster.guard.supported()) return
  const {version} = await cluster.apiServer.identity()
  throw new KkError(
    'KK_NO_GUARD',
    `the guard needs ValidatingAdmissionPolicy (Kubernetes 1.30 or newer), and ${cluster.server} runs ${version}`,
    {hint: 'upgrade the cluster; until then only kk itself refuses to remove protected releases'},
  )
}

/** Returns the protected releases of every environment, by the labels of their last records. */
async function protectedReleases(cluster: Cluster): Promise<readonly ReleaseId[]> {
  const records = await cluster.records.list()
  return records.filter(({labels}) => readLabels(labels)?.protected).map(({release}) => release)
}

/** Returns the last revision's manifest; empty if unreadable: the roles of docs/guard.md read no Secrets. */
async function lastManifest(records: Records, release: ReleaseId): Promise<string> {
  try {
    return (await records.stored(release))?.manifest ?? ''
  } catch (error) {
    const {code} = asKkError(error)
    if (code !== 'KK_FORBIDDEN' && code !== 'KK_RECORD') throw error
    return ''
  }
}

/**
 * Returns the claims of StatefulSets in last revisions: after the set is gone, only its record shows them.
 */
async function recordedClaims(
  records: Records,
  releases: readonly ReleaseId[],
): Promise<readonly (readonly [claim: string, release: ReleaseId])[]> {
  const claims = await mapParallel(releases, async (release) => {
    return parseManifest(await lastManifest(records, release))
      .filter(({kind}) => kind === 'StatefulSet')
      .flatMap((set) => claimsOf(set as unknown as StatefulSet, releaseNamespace(release)))
      .map((claim) => [claim, release] as const)
  })
  return claims.flat()
}

function guardedRelease({releases}: GuardParameters, name: string): ReleaseId {
  const matches = releases.filter((release) => isNamed(release, name))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1) {
    throw new KkError('KK_UNKNOWN_RELEASE', `${name} is not one release: ${matches.join(', ')}`, {
      hint: `name it with its namespace, e.g. ${matches[0]}`,
    })
  }
  const close = suggest(name, [...releases, ...releases.map(releaseName)])
  throw new KkError('KK_UNKNOWN_RELEASE', `the guard keeps no release ${name}`, {
    hint: close === undefined ? 'see what it keeps with kk guard status' : `did you mean ${close}?`,
  })
}

function nothingProtected(cluster: Cluster): KkError {
  return new KkError(
    'KK_NOT_INSTALLED',
    `no protected release is installed on the cluster of context "${cluster.context}"`,
    {
      hint: 'deploy first; a release is protected by its chart (mariadb, rabbitmq) or by kk.releases.NAME.protected',
    },
  )
}

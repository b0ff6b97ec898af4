import {type ReleaseId, releaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {KubernetesObject} from '../cluster.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {Approval, GuardParameters} from './guard.ts'
import {GUARD_NAME} from './names.ts'

/** The ConfigMap as it is read and written. */
export interface ParameterConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>
}

/** The key of the stamp: another one at each write, which the policy says in its denial of this ConfigMap's deletion. */
export const STAMP_KEY = 'written'
/** Prefixes of the keys; the policies look releases, claims and approvals up by these. */
export const RELEASE_KEY = 'release.'
export const CLAIM_KEY = 'claim.'
export const APPROVAL_KEY = 'approval.'

/**
 * CEL reads strings and keys only: so each thing has a key of its own, and an approval begins with its expiry. A
 * namespace has no dot, which tells where the name begins.
 */
export function configMapOf(
  {releases, claims, approvals}: GuardParameters,
  stamp: string,
): ParameterConfigMap {
  const entries = [
    ...releases.map((release) => [RELEASE_KEY + keyOf(release), 'protected'] as const),
    ...[...claims].map(
      ([claim, release]) => [CLAIM_KEY + claim.replace('/', '.'), releaseName(release)] as const,
    ),
    ...approvals.map((approval) => [APPROVAL_KEY + keyOf(approval.release), approvalText(approval)] as const),
  ]
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name: GUARD_NAME, namespace: KK_NAMESPACE},
    data: {
      [STAMP_KEY]: stamp,
      ...Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** What such a ConfigMap says. An approval that cannot be read approves nothing that kk can show; it is passed over. */
export function parametersIn({data = {}}: ParameterConfigMap): GuardParameters {
  const entries = Object.entries(data)
  const below = (prefix: string) =>
    entries
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [idOf(key.slice(prefix.length)), value] as const)
  return {
    releases: below(RELEASE_KEY).map(([release]) => release),
    claims: new Map(
      below(CLAIM_KEY).map(([claim, name]) => [claim, releaseId(releaseNamespace(claim), name)] as const),
    ),
    approvals: below(APPROVAL_KEY).flatMap(([release, text]) => approvalIn(release, text)),
  }
}

/** Those whose time has not run out at `now`, in milliseconds since the epoch. */
export function liveApprovals({approvals}: GuardParameters, now: number): readonly Approval[] {
  return approvals.filter(({expires}) => expires * 1000 > now)
}

function keyOf(release: ReleaseId): string {
  return `${releaseNamespace(release)}.${releaseName(release)}`
}

function idOf(key: string): ReleaseId {
  const end = key.indexOf('.')
  return releaseId(key.slice(0, end), key.slice(end + 1))
}

/** `expires` comes first: the policy compares the beginning of the text. */
function approvalText({expires, by, objects}: Approval): string {
  return JSON.stringify({expires, by, objects})
}

function approvalIn(release: ReleaseId, text: string): readonly Approval[] {
  try {
    const {expires, by, objects} = JSON.parse(text) as Omit<Approval, 'release'>
    return Number.isInteger(expires) && Array.isArray(objects) ? [{release, expires, by, objects}] : []
  } catch {
    return []
  }
}

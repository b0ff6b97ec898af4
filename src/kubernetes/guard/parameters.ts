import {type ReleaseId, releaseId, releaseName, releaseNamespace} from '../../release.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {Approval, GuardParameters} from './guard.ts'
import {GUARD_NAME} from './names.ts'

/** The ConfigMap of the parameters. */
export interface ParameterConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>
}

/**
 * The key of the stamp, a value that differs at each write; the policy quotes it when it denies the deletion
 * of this ConfigMap.
 */
export const STAMP_KEY = 'written'
/** Prefixes of the keys by which the policies look up releases, claims and approvals. */
export const RELEASE_KEY = 'release.'
export const CLAIM_KEY = 'claim.'
export const APPROVAL_KEY = 'approval.'

/**
 * Returns the ConfigMap of the parameters. CEL can only read strings and keys, so each item has a separate
 * key, and an approval begins with its expiry. A namespace has no dot, so the first dot of a key ends it.
 */
export function parameterConfigMap(
  {releases, claims, approvals}: GuardParameters,
  stamp: string,
): ParameterConfigMap {
  const entries = [
    ...releases.map((release) => [RELEASE_KEY + formatKey(release), 'protected'] as const),
    ...[...claims].map(
      ([claim, release]) => [CLAIM_KEY + claim.replace('/', '.'), releaseName(release)] as const,
    ),
    ...approvals.map(
      (approval) => [APPROVAL_KEY + formatKey(approval.release), approvalText(approval)] as const,
    ),
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

/** Returns the parameters in a ConfigMap. An approval that cannot be parsed is omitted. */
export function parametersIn({data = {}}: ParameterConfigMap): GuardParameters {
  const entries = Object.entries(data)
  const below = (prefix: string) =>
    entries
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [parseKey(key.slice(prefix.length)), value] as const)
  return {
    releases: below(RELEASE_KEY).map(([release]) => release),
    claims: new Map(
      below(CLAIM_KEY).map(([claim, name]) => [claim, releaseId(releaseNamespace(claim), name)] as const),
    ),
    approvals: below(APPROVAL_KEY).flatMap(([release, text]) => approvalIn(release, text)),
  }
}

/** Returns the approvals that have not expired at `now`, in milliseconds since the epoch. */
export function liveApprovals({approvals}: GuardParameters, now: number): readonly Approval[] {
  return approvals.filter(({expires}) => expires * 1000 > now)
}

function formatKey(release: ReleaseId): string {
  return `${releaseNamespace(release)}.${releaseName(release)}`
}

function parseKey(key: string): ReleaseId {
  const end = key.indexOf('.')
  return releaseId(key.slice(0, end), key.slice(end + 1))
}

/**
 * Returns the JSON of an approval. `expires` comes first, because the policy compares the beginning of the
 * string.
 */
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

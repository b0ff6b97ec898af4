import {releaseNamespace} from '../../release.ts'
import type {Resource} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {GuardParameters} from './guard.ts'
import {BINDINGS, POLICIES} from './names.ts'
import {expiryBinding, expiryPolicy} from './policies/expiry.ts'
import {guardBinding, guardPolicy} from './policies/policy.ts'

type Placed = readonly [Resource, KubernetesObject]

/** Returns the objects of a guard beside its parameters, in the order in which they are made. */
export function policyObjects({releases}: Pick<GuardParameters, 'releases'>): readonly Placed[] {
  return placed([...releases.map(releaseNamespace), KK_NAMESPACE])
}

/**
 * Returns the objects of a guard bound to no namespace, which stay when a guard is removed. The API server stops
 * reading parameters for good once nothing is bound to a policy that has them (kubernetes issue 130887): a guard that
 * was removed wholly could not be installed again before the API server restarts.
 */
export function restingObjects(): readonly Placed[] {
  return placed([])
}

function placed(namespaces: readonly string[]): readonly Placed[] {
  return [
    [POLICIES, guardPolicy()],
    [POLICIES, expiryPolicy()],
    [BINDINGS, guardBinding(namespaces)],
    [BINDINGS, expiryBinding(namespaces)],
  ]
}

import {releaseNamespace} from '../../release.ts'
import type {Resource} from '../api/resources.ts'
import type {KubernetesObject} from '../cluster.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {GuardParameters} from './guard.ts'
import {BINDINGS, POLICIES} from './names.ts'
import {expiryBinding, expiryPolicy} from './policies/expiry.ts'
import {guardBinding, guardPolicy} from './policies/policy.ts'

type Placed = readonly [Resource, KubernetesObject]

/** All that makes a guard beside its parameters, in the order of its making. */
export function policyObjects({releases}: Pick<GuardParameters, 'releases'>): readonly Placed[] {
  return placed([...releases.map(releaseNamespace), KK_NAMESPACE])
}

/**
 * The same, bound to no namespace: what stays when a guard is removed. The API server stops reading parameters for
 * good when nothing is bound to a policy that has them (kubernetes issue 130887): a guard that was taken away wholly
 * could not be installed again before the API server restarts.
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

import {releaseNamespace} from '../../release.ts'
import type {Resource} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {GuardParameters} from './guard.ts'
import {BINDINGS, POLICIES} from './names.ts'
import {expiryBinding, expiryPolicy} from './policies/expiry.ts'
import {guardBinding, guardPolicy} from './policies/policy.ts'

type PlacedObject = readonly [Resource, KubernetesObject]

/** Returns the objects of a guard except its parameters, in the order of their creation. */
export function policyObjects({releases}: Pick<GuardParameters, 'releases'>): readonly PlacedObject[] {
  return placed([...releases.map(releaseNamespace), KK_NAMESPACE])
}

/**
 * Returns the objects of a guard bound to no namespace, which are kept when a guard is removed. The API
 * server permanently stops reading parameters when no binding refers to a policy with parameters (kubernetes
 * issue 130887): after a complete removal a guard could not be installed again until the API server restarts.
 */
export function unboundObjects(): readonly PlacedObject[] {
  return placed([])
}

function placed(namespaces: readonly string[]): readonly PlacedObject[] {
  return [
    [POLICIES, guardPolicy()],
    [POLICIES, expiryPolicy()],
    [BINDINGS, guardBinding(namespaces)],
    [BINDINGS, expiryBinding(namespaces)],
  ]
}

import {type ReleaseId, releaseId} from '../../release.ts'
import {annotatedRelease} from '../manifest/helm-annotations.ts'
import type {GuardParameters} from './guard.ts'

/** The metadata by which the guard finds the release of an object. */
export interface ObjectMetadata {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** apps/v1 StatefulSet, with the names of its claim templates. */
export interface StatefulSet {
  readonly metadata: ObjectMetadata
  readonly spec: {readonly volumeClaimTemplates?: readonly {readonly metadata: {readonly name: string}}[]}
}

const INSTANCE = 'app.kubernetes.io/instance'

/**
 * Returns the names of the claims that a StatefulSet creates, `namespace/template-statefulset`, without their
 * ordinals. These claims have the labels of selector and template and no metadata of helm (Kubernetes 1.36:
 * stateful_set_utils.go). `releaseNamespace` is the namespace of a rendered set without one.
 */
export function claimsOf(
  {metadata: {namespace, name}, spec}: StatefulSet,
  releaseNamespace = namespace,
): readonly ReleaseId[] {
  const templates = spec.volumeClaimTemplates ?? []
  return templates.map((template) =>
    releaseId(namespace ?? releaseNamespace, `${template.metadata.name}-${name}`),
  )
}

/**
 * Returns the release of a PersistentVolumeClaim, by the same fields as the policy and in the same order:
 * annotation, name, label.
 */
export function releaseOfClaim(
  claim: ObjectMetadata,
  {claims}: Pick<GuardParameters, 'claims'>,
): ReleaseId | undefined {
  const [, stem] = /^(.+)-[0-9]+$/.exec(claim.name) ?? []
  const listed = stem === undefined ? undefined : claims.get(releaseId(claim.namespace, stem))
  const instance = claim.labels?.[INSTANCE]
  return (
    annotatedRelease(claim, claim.namespace) ??
    listed ??
    (instance ? releaseId(claim.namespace, instance) : undefined)
  )
}

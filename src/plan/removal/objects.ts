import type {StatefulSetSpec} from 'kubernetes-types/apps/v1.js'
import type {DeepReadonly} from '../../kubernetes/api/served.ts'
import {hookDeletePolicies, hookEvents, isKeptAtUninstall} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Claim} from '../../kubernetes/objects/live-objects.ts'
import type {ReleaseId} from '../../release.ts'

/** The reason why helm leaves an object behind. */
export type RemainReason = 'keep' | 'hook' | 'removal-hook' | 'claim' | 'crd' | 'earlier'

export interface ObjectName {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

export interface DeletedObject extends ObjectName {
  /** What is deleted with it that the object itself does not show. */
  readonly with?: string
}

export interface RemainingObject extends ObjectName {
  readonly why: RemainReason
}

/** The effect of removing a release on its objects. */
export interface ReleaseRemoval {
  readonly release: ReleaseId
  readonly deleted: readonly DeletedObject[]
  /** The objects that exist, and those that hooks of the removal will create. */
  readonly stays: readonly RemainingObject[]
}

export interface StoredObjects {
  /** The manifest of the last revision: helm deletes these objects, and no others. */
  readonly manifest: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
  readonly crds: readonly KubernetesObject[]
  /** Objects of earlier revisions that may exist, hooks included. */
  readonly earlier: readonly KubernetesObject[]
}

export interface SplitObjects {
  readonly deleted: readonly KubernetesObject[]
  readonly stays: readonly {readonly object: KubernetesObject; readonly why: RemainReason}[]
}

/** The kinds whose deletion also deletes other objects or data, and which. */
export const CASCADE_TEXT: Readonly<Record<string, string>> = {
  Namespace: 'with everything in it',
  CustomResourceDefinition: 'with every object of its kind on the cluster',
  PersistentVolumeClaim: 'with its data',
}

/**
 * Splits objects into those that helm uninstall deletes and leaves (Helm 4.2: uninstall.go deleteRelease),
 * without the claims of StatefulSets.
 */
export function splitObjects({manifest, hooks, crds, earlier}: StoredObjects): SplitObjects {
  const last = new Set([...manifest, ...hooks].map(key))
  const stays = (objects: readonly KubernetesObject[], why: RemainReason) =>
    objects.map((object) => ({object, why}))
  return {
    deleted: manifest.filter((object) => !isKeptAtUninstall(object)),
    stays: [
      ...stays(manifest.filter(isKeptAtUninstall), 'keep'),
      ...hooks.map((object) => ({object, why: isLeftByRemoval(object) ? 'removal-hook' : 'hook'}) as const),
      ...stays(crds, 'crd'),
      ...stays(
        [...new Map(earlier.map((object) => [key(object), object])).values()].filter(
          (object) => !last.has(key(object)),
        ),
        'earlier',
      ),
    ],
  }
}

export function deletedObject(object: KubernetesObject, namespace: string): DeletedObject {
  const contents = CASCADE_TEXT[object.kind]
  return {...nameOf(object, namespace), ...(contents !== undefined && {with: contents})}
}

export function nameOf({kind, metadata}: KubernetesObject, namespace: string): ObjectName {
  return {kind, name: metadata.name, namespace: metadata.namespace ?? namespace}
}

type StatefulSet = KubernetesObject & {readonly spec?: Partial<DeepReadonly<StatefulSetSpec>>}

/** Returns true for a StatefulSet whose retention policy has Kubernetes delete its claims with it. */
export function takesClaims({kind, spec}: StatefulSet): boolean {
  return kind === 'StatefulSet' && spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete'
}

/**
 * Returns the claims of StatefulSets' templates, `TEMPLATE-SET-ORDINAL` with the selector's labels, and
 * whether they are deleted with the set.
 */
export function claimsOfSets(
  objects: readonly KubernetesObject[],
  claims: readonly Claim[],
  namespace: string,
): readonly {readonly claim: Claim; readonly isDeleted: boolean}[] {
  const sets = objects.filter(({kind}) => kind === 'StatefulSet') as readonly StatefulSet[]
  return sets.flatMap((set) => {
    const {metadata, spec = {}} = set
    const isDeleted = takesClaims(set)
    const labels = Object.entries(spec.selector?.matchLabels ?? {})
    const prefixes = (spec.volumeClaimTemplates ?? []).map(
      (template) => `${template.metadata?.name}-${metadata.name}-`,
    )
    return claims
      .filter((claim) => claim.namespace === (metadata.namespace ?? namespace))
      .filter(({name}) =>
        prefixes.some((prefix) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))),
      )
      .filter((claim) => labels.every(([label, value]) => claim.labels[label] === value))
      .map((claim) => ({claim, isDeleted}))
  })
}

function key({apiVersion, kind, metadata}: KubernetesObject): string {
  return `${apiVersion.split('/')[0]}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`
}

const REMOVAL_EVENTS: readonly string[] = ['pre-delete', 'post-delete']

/**
 * Returns true for a hook of the removal that helm uninstall leaves, because its policy does not delete it on
 * success.
 */
function isLeftByRemoval(object: KubernetesObject): boolean {
  if (!hookEvents(object).some((event) => REMOVAL_EVENTS.includes(event))) return false
  return !hookDeletePolicies(object).includes('hook-succeeded')
}

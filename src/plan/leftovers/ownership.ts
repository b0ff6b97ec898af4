import {annotatedRelease, releaseAnnotations} from '../../kubernetes/manifest/helm-annotations.ts'
import {isHook, isKeptAtUninstall} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {ObjectIdentity, PresentObject} from '../../kubernetes/objects/live-objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** The reason why an object is never deleted as a leftover. */
export type KeepReason = 'data' | 'policy' | 'namespace' | 'crd'

const MANAGER = 'app.kubernetes.io/managed-by'

/**
 * Returns the metadata that helm writes on every object of a release (Helm 4.2: validate.go
 * setMetadataVisitor).
 */
export function helmMetadata(release: ReleaseId): {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
} {
  return {labels: {[MANAGER]: 'Helm'}, annotations: releaseAnnotations(release)}
}

/** Returns an object with helm's metadata, as helm sends it; a hook has none. */
export function withHelmMarks(object: KubernetesObject, release: ReleaseId): KubernetesObject {
  if (isHook(object)) return object
  const {labels, annotations} = helmMetadata(release)
  const {metadata} = object
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: {...metadata.labels, ...labels},
      annotations: {...metadata.annotations, ...annotations},
    },
  }
}

/**
 * Returns true for a live object with the label of helm's objects. Helm does not adopt an object without it.
 */
export function isHelmManaged({labels = {}}: Pick<KubernetesObject['metadata'], 'labels'>): boolean {
  return labels[MANAGER] === 'Helm'
}

/** Returns why a leftover must stay whatever the options; undefined if it may be deleted. */
function findKeepReason(
  object: KubernetesObject,
  live: KubernetesObject['metadata'],
): KeepReason | undefined {
  if (object.kind === 'PersistentVolumeClaim') return 'data'
  if (object.kind === 'Namespace') return 'namespace'
  if (object.kind === 'CustomResourceDefinition') return 'crd'
  return [object, {kind: object.kind, metadata: live}].some(isKeptAtUninstall) ? 'policy' : undefined
}

/** An object that a release has left behind. */
export interface JudgedLeftover extends ObjectIdentity {
  /** The reason why it is never deleted as a leftover; undefined if it may be deleted. */
  readonly kept?: KeepReason
}

/**
 * Returns an object as a leftover of the release; undefined if it is being deleted, or is not the release's.
 */
export function judgedLeftover(
  release: ReleaseId,
  {object, live, isGoing}: PresentObject,
): JudgedLeftover | undefined {
  if (isGoing || live === undefined || annotatedRelease(live) !== release) return undefined
  const {apiVersion, kind, metadata} = object
  const namespace = live.namespace ?? metadata.namespace ?? releaseNamespace(release)
  const keepReason = findKeepReason(object, live)
  return {
    apiVersion,
    kind,
    name: metadata.name,
    namespace,
    uid: String(live.uid),
    ...(keepReason && {kept: keepReason}),
  }
}

import {isDeepStrictEqual} from 'node:util'
import {dig, digMaps} from '../../../../base/dig.ts'
import type {KubernetesObject} from '../../../../kubernetes/manifest/kubernetes-object.ts'

/** A field that the API server does not allow to change. */
interface Field {
  readonly path: readonly string[]
  /** The API server's default for the field. */
  readonly fallback?: unknown
  /** Whether the API server fills it in; a later manifest that sets it most likely has the same value. */
  readonly isFilledIn?: true
}

const field = (path: string, fallback?: unknown): Field => ({
  path: path.split('.'),
  ...(fallback !== undefined && {fallback}),
})
const SELECTOR = field('spec.selector')
const ROLE = field('roleRef')
const COMPLETIONS: Field = {path: ['spec', 'completions'], isFilledIn: true}
const STORAGE_CLASS: Field = {path: ['spec', 'storageClassName'], isFilledIn: true}

/** Immutable fields by kind. In a StatefulSet and a Pod only a few fields are mutable. */
const IMMUTABLE: Readonly<Record<string, readonly Field[]>> = {
  Deployment: [SELECTOR],
  DaemonSet: [SELECTOR],
  ReplicaSet: [SELECTOR],
  Job: [SELECTOR, COMPLETIONS, field('spec.completionMode', 'NonIndexed')],
  StatefulSet: [
    SELECTOR,
    field('spec.serviceName'),
    field('spec.podManagementPolicy', 'OrderedReady'),
    field('spec.volumeClaimTemplates'),
  ],
  Pod: [field('spec')],
  Service: [field('spec.clusterIP', '')],
  PersistentVolumeClaim: [
    field('spec.accessModes'),
    SELECTOR,
    STORAGE_CLASS,
    field('spec.volumeMode', 'Filesystem'),
  ],
  Secret: [field('type', 'Opaque')],
  StorageClass: [
    field('provisioner'),
    field('parameters'),
    field('reclaimPolicy', 'Delete'),
    field('volumeBindingMode', 'Immediate'),
  ],
  IngressClass: [field('spec.controller')],
  PriorityClass: [field('value'), field('preemptionPolicy', 'PreemptLowerPriority')],
  RoleBinding: [ROLE],
  ClusterRoleBinding: [ROLE],
}

/** The immutable fields of Secrets and ConfigMaps with `immutable: true`. */
const SEALED = [field('immutable', false), field('data'), field('stringData'), field('binaryData')]

interface Touched {
  readonly path: string
  /** Whether the later object no longer sets it. */
  readonly isTakenOut: boolean
}

/** Returns the immutable fields that differ in the later object. */
export function touchedFields(object: KubernetesObject, later: KubernetesObject): readonly Touched[] {
  const sealed = object.immutable === true ? SEALED : []
  return [...(IMMUTABLE[object.kind] ?? []), ...sealed]
    .filter((each) => !isSame(each, object, later))
    .map(({path}) => ({path: path.join('.'), isTakenOut: dig(later, ...path) === undefined}))
}

function isSame(each: Field, object: KubernetesObject, later: KubernetesObject): boolean {
  const isUnstated = each.isFilledIn && dig(object, ...each.path) === undefined
  return isUnstated || isDeepStrictEqual(valueAt(object, each), valueAt(later, each))
}

function valueAt(object: KubernetesObject, {path, fallback}: Field): unknown {
  if (path.at(-1) === 'volumeClaimTemplates') return digMaps(object, ...path).map(claimOf)
  if (object.kind === 'Pod') return fixedInPod(dig(object, ...path) as object | undefined)
  return dig(object, ...path) ?? fallback
}

/**
 * Returns a claim template without the fields that the API server adds, and with its default for the volume
 * mode.
 */
function claimOf(claim: object): object {
  const {apiVersion: _version, kind: _kind, status: _status, ...rest} = claim as Record<string, unknown>
  const spec = {volumeMode: 'Filesystem', ...(dig(claim, 'spec') as object | undefined)}
  return {...rest, spec}
}

/** Returns the part of a pod's spec that cannot change: all but images, deadlines and tolerations. */
function fixedInPod(spec: object | undefined): object {
  const {
    activeDeadlineSeconds: _deadline,
    terminationGracePeriodSeconds: _grace,
    tolerations: _tolerations,
    ...rest
  } = {...spec} as Record<string, unknown>
  const withoutImages = (key: string) =>
    digMaps(spec, key).map((container) => ({...container, image: undefined}))
  return {...rest, containers: withoutImages('containers'), initContainers: withoutImages('initContainers')}
}

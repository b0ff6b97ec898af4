import {isDeepStrictEqual} from 'node:util'
import {dig, digMaps} from '../../../../charts/manifests/dig.ts'
import type {RenderedObject} from '../../../../charts/manifests/rendered-objects.ts'
import {hooksOf} from '../../../../charts/manifests/waiter-of.ts'
import type {KubernetesObject} from '../../../../cluster/cluster.ts'
import {objectName} from '../../../../cluster/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {inBoth} from '../same-object.ts'

/** A field that the API server lets nobody change. */
interface Field {
  readonly path: readonly string[]
  /** What the API server takes for one that is left out. */
  readonly fallback?: string
}

const field = (path: string, fallback?: string): Field => ({
  path: path.split('.'),
  ...(fallback !== undefined && {fallback}),
})
const SELECTOR = field('spec.selector')
const ROLE = field('roleRef')

/** By kind; of a StatefulSet all but a few. */
const IMMUTABLE: Readonly<Record<string, readonly Field[]>> = {
  Deployment: [SELECTOR],
  DaemonSet: [SELECTOR],
  ReplicaSet: [SELECTOR],
  Job: [SELECTOR, field('spec.completionMode', 'NonIndexed')],
  StatefulSet: [
    SELECTOR,
    field('spec.serviceName'),
    field('spec.podManagementPolicy', 'OrderedReady'),
    field('spec.volumeClaimTemplates'),
  ],
  PersistentVolumeClaim: [
    field('spec.accessModes'),
    SELECTOR,
    field('spec.storageClassName'),
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

const DATA = [field('data'), field('stringData')]

/**
 * What nobody may change though an upgrade would, so that it fails: between what is deployed and what is rendered now, and
 * between that and the next version of the chart. Hooks are made anew each time.
 */
export function immutableFields({release, objects, next, deployed}: ExaminedRelease): readonly ChartFault[] {
  const before = inBoth(deployed?.upgrade.filter(isNoHook) ?? [], deployed?.objects ?? [], release).flatMap(
    ([{object, file}, {object: there}]) =>
      touched(there, object).map((path) => ({
        check: 'immutable fields',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `${path} of ${objectName(object)} is not as revision ${deployed!.revision} has deployed it, and cannot be changed: the upgrade fails`,
        advice: `take the change back, or delete ${objectName(object)} before the upgrade, which makes it anew`,
      })),
  )
  const after = inBoth(objects.filter(isNoHook), next, release).flatMap(([{object, file}, {object: later}]) =>
    touched(object, later).map((path) => ({
      check: 'immutable fields',
      level: 'warning' as const,
      release,
      object: objectName(object),
      file,
      what: `${path} of ${objectName(object)} changes with the version of the chart or its images, and cannot be changed`,
      advice: `take what changes out of it, such as the label helm.sh/chart; else the object must go before an upgrade`,
    })),
  )
  return [...before, ...after]
}

function isNoHook({object}: RenderedObject): boolean {
  return hooksOf(object).length === 0
}

function touched(object: KubernetesObject, later: KubernetesObject): readonly string[] {
  const frozen = object.immutable === true ? DATA : []
  return [...(IMMUTABLE[object.kind] ?? []), ...frozen]
    .filter((each) => !isDeepStrictEqual(valueAt(object, each), valueAt(later, each)))
    .map(({path}) => path.join('.'))
}

function valueAt(object: KubernetesObject, {path, fallback}: Field): unknown {
  if (path.at(-1) === 'volumeClaimTemplates') return digMaps(object, ...path).map(claimOf)
  return dig(object, ...path) ?? fallback
}

/** A claim without what the API server adds, or takes for the same. */
function claimOf(claim: object): object {
  const {apiVersion: _version, kind: _kind, status: _status, ...rest} = claim as Record<string, unknown>
  const spec = {volumeMode: 'Filesystem', ...(dig(claim, 'spec') as object | undefined)}
  return {...rest, spec}
}

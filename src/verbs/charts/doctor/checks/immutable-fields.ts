import {isDeepStrictEqual} from 'node:util'
import {dig} from '../../../../charts/manifests/dig.ts'
import {hooksOf} from '../../../../charts/manifests/waiter-of.ts'
import type {KubernetesObject} from '../../../../cluster/cluster.ts'
import {objectName} from '../../../../cluster/manifest.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {inBoth} from '../same-object.ts'

/** Fields that the API server lets nobody change, by kind; of a StatefulSet all but a few. */
const IMMUTABLE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Deployment: [['spec', 'selector']],
  DaemonSet: [['spec', 'selector']],
  ReplicaSet: [['spec', 'selector']],
  StatefulSet: [
    ['spec', 'selector'],
    ['spec', 'serviceName'],
    ['spec', 'podManagementPolicy'],
    ['spec', 'volumeClaimTemplates'],
  ],
  PersistentVolumeClaim: [
    ['spec', 'accessModes'],
    ['spec', 'selector'],
    ['spec', 'storageClassName'],
    ['spec', 'volumeMode'],
  ],
  StorageClass: [['provisioner'], ['parameters'], ['reclaimPolicy'], ['volumeBindingMode']],
  RoleBinding: [['roleRef']],
  ClusterRoleBinding: [['roleRef']],
}

/** What the next version of a chart would change, though it cannot be: the upgrade fails. Hooks are made anew each time. */
export function immutableFields({release, objects, next}: ExaminedRelease): readonly ChartFault[] {
  return inBoth(objects, next, release)
    .filter(([{object}]) => hooksOf(object).length === 0)
    .flatMap(([{object, file}, {object: later}]) =>
      touched(object, later).map((field) => ({
        check: 'immutable fields',
        level: 'warning' as const,
        release,
        object: objectName(object),
        file,
        what: `${field} of ${objectName(object)} changes with the version of the chart or its images, and cannot be changed`,
        advice: `take what changes out of it, such as the label helm.sh/chart; else the object must go before an upgrade`,
      })),
    )
}

function touched(object: KubernetesObject, later: KubernetesObject): readonly string[] {
  const paths = IMMUTABLE[object.kind] ?? (object.immutable === true ? [['data'], ['stringData']] : [])
  return paths
    .filter((path) => !isDeepStrictEqual(dig(object, ...path), dig(later, ...path)))
    .map((path) => path.join('.'))
}

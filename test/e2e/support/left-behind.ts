import {hostname} from 'node:os'
import {parameterConfigMap} from '../../../src/kubernetes/guard/parameters.ts'
import {leaseName, RELEASE} from '../../../src/kubernetes/lease/lease.ts'
import {HOLDER} from '../../../src/kubernetes/lease/operation.ts'
import {DELETION_MARKER} from '../../../src/kubernetes/reservations/reservation.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {thisProcess} from '../../../src/state/processes/process-place.ts'

export const LONG_AGO = '2020-01-01T00:00:00.000000Z'

/** Templates of a chart for a Kubernetes of long ago. */
export const OLD = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: lost}
spec: {template: {spec: {nodeSelector: {no-such: label}}}}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: old}
---
apiVersion: v1
kind: Endpoints
metadata: {name: old}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: old}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

/** No process has this id. */
export const DEAD = `ada@${hostname()} (process 4194304, run r1)`

/**
 * A Lease that says that its release is being removed; of a process of this machine, which is gone, when the
 * holder is `DEAD`.
 */
export async function leftLease(release: ReleaseId, holder: string, renewTime: string): Promise<object> {
  const note = JSON.stringify({holder, ...(await thisProcess()), started: '1'})
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: leaseName(release),
      annotations: {
        [RELEASE]: release,
        [DELETION_MARKER]: 'true',
        ...(holder === DEAD && {[HOLDER]: note}),
      },
    },
    spec: {holderIdentity: holder, leaseDurationSeconds: 60, acquireTime: LONG_AGO, renewTime},
  }
}

/** A reservation whose time is long over. */
export function leftReservation(required: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name: 'kk-intent-left', labels: {'kk.openstack.org/intent-on': 'x'}},
    data: {required, dependent: 'other/gone', operator: 'bob@elsewhere', deadline: LONG_AGO},
  }
}

/** A Job that was a hook of a release that is gone. */
export function leftHookJob(name: string, namespace: string): object {
  const container = {name: 'job', image: 'registry.example.org/job:1'}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name, namespace, annotations: {'helm.sh/hook': 'post-install'}},
    spec: {suspend: true, template: {spec: {restartPolicy: 'Never', containers: [container]}}},
  }
}

/** The guard's ConfigMap with an approval whose time is over. */
export function expiredApproval(release: ReleaseId): object {
  const approval = {release, expires: 1, by: 'ada', objects: []}
  return parameterConfigMap({releases: [], claims: new Map(), approvals: [approval]}, 'by hand')
}

/** The definition of a kind `Gone`. */
export const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {name: 'gones.tests.kk.openstack.org'},
  spec: {
    group: 'tests.kk.openstack.org',
    scope: 'Namespaced',
    names: {kind: 'Gone', plural: 'gones', singular: 'gone'},
    versions: [{name: 'v1', served: true, storage: true, schema: {openAPIV3Schema: {type: 'object'}}}],
  },
}

import {exists, is, isAbsent, isNot, type Stage, stage, status} from './stage.ts'

/** The name of openstack-helm's default class. */
export const STORAGE_CLASS = 'general'
export const VOLUME_PROVISIONER = 'kwok.x-k8s.io/volume'

const ofClass = is('.spec.storageClassName', STORAGE_CLASS)
const alive = isAbsent('.metadata.deletionTimestamp')

/**
 * The stages of volumes: every claim of the class gets a volume of its size at once. After kwok's
 * kustomize/stage/volume/fast.
 */
export const volumeStages: readonly Stage[] = [
  stage({
    name: 'claim-provision',
    kind: 'PersistentVolumeClaim',
    when: [ofClass, alive, isAbsent('.spec.volumeName'), isNot('.status.phase', 'Bound')],
    steps: [
      {
        apply: {
          template: `
apiVersion: v1
kind: PersistentVolume
metadata:
  name: pvc-{{ .metadata.uid }}
  annotations:
    pv.kubernetes.io/provisioned-by: ${VOLUME_PROVISIONER}
spec:
  accessModes:
  {{ YAML .spec.accessModes 2 }}
  capacity:
  {{ YAML .spec.resources.requests 2 }}
  persistentVolumeReclaimPolicy: Delete
  storageClassName: ${STORAGE_CLASS}
  volumeMode: {{ default "Filesystem" .spec.volumeMode | Quote }}
  claimRef:
    apiVersion: v1
    kind: PersistentVolumeClaim
    name: {{ .metadata.name | Quote }}
    namespace: {{ .metadata.namespace | Quote }}
    resourceVersion: {{ .metadata.resourceVersion | Quote }}
    uid: {{ .metadata.uid | Quote }}
  hostPath:
    path: /nonexistent/pvc-{{ .metadata.uid }}
`,
        },
      },
      {
        patch: {
          root: 'metadata',
          template: `
annotations:
  pv.kubernetes.io/bind-completed: "yes"
  pv.kubernetes.io/bound-by-controller: "yes"
  volume.kubernetes.io/storage-provisioner: ${VOLUME_PROVISIONER}
`,
        },
      },
      {patch: {root: 'spec', template: 'volumeName: pvc-{{ .metadata.uid }}'}},
      status(`
phase: Bound
accessModes:
{{ YAML .spec.accessModes 1 }}
capacity:
{{ YAML .spec.resources.requests 1 }}
`),
    ],
  }),
  stage({
    name: 'volume-bind',
    kind: 'PersistentVolume',
    when: [
      ofClass,
      alive,
      exists('.spec.claimRef.name'),
      isNot('.status.phase', 'Bound', 'Released', 'Failed'),
    ],
    steps: [status('phase: Bound')],
  }),
  stage({
    name: 'volume-delete',
    kind: 'PersistentVolume',
    when: [ofClass, alive, is('.status.phase', 'Released')],
    steps: [{delete: true}],
  }),
]

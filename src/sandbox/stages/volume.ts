import {annotation, exists, is, isAbsent, isNot, type Stage, stage, status} from './stage.ts'

/** The name of openstack-helm's default class. */
export const STORAGE_CLASS = 'general'
export const VOLUME_PROVISIONER = 'kwok.x-k8s.io/volume'

/**
 * Selects claims that wait for their class's provisioner: the annotation that Kubernetes' volume controller
 * sets if the class exists and, for WaitForFirstConsumer, a node is selected. Any provisioner matches: one
 * that a chart deploys is itself simulated, and nothing reads the volume.
 */
const awaitsProvisioner = exists(annotation('volume.kubernetes.io/storage-provisioner'))
const ofStages = is(annotation('pv.kubernetes.io/provisioned-by'), VOLUME_PROVISIONER)
const alive = isAbsent('.metadata.deletionTimestamp')

/**
 * The stages of volumes: each claim gets a volume of its size. Based on kwok's kustomize/stage/volume/fast.
 */
export const volumeStages: readonly Stage[] = [
  stage({
    name: 'claim-provision',
    kind: 'PersistentVolumeClaim',
    when: [awaitsProvisioner, alive, isAbsent('.spec.volumeName'), isNot('.status.phase', 'Bound')],
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
  storageClassName: {{ .spec.storageClassName | Quote }}
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
      ofStages,
      alive,
      exists('.spec.claimRef.name'),
      isNot('.status.phase', 'Bound', 'Released', 'Failed'),
    ],
    steps: [status('phase: Bound')],
  }),
  stage({
    name: 'volume-delete',
    kind: 'PersistentVolume',
    when: [ofStages, alive, is('.status.phase', 'Released')],
    steps: [{delete: true}],
  }),
]

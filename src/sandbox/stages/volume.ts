import {annotation, exists, is, isAbsent, isNot, type Stage, stage, status} from './stage.ts'

/** The name of openstack-helm's default class. */
export const STORAGE_CLASS = 'general'
export const VOLUME_PROVISIONER = 'kwok.x-k8s.io/volume'

/**
 * The condition of a claim that waits for the provisioner of its class, which Kubernetes' controller of volumes names
 * when the class exists and, where the class waits for a pod, a node is chosen. It is no matter which one: a provisioner
 * that a chart brings is simulated as all pods are, and nothing reads the volume.
 */
const awaitsProvisioner = exists(annotation('volume.kubernetes.io/storage-provisioner'))
const ofStages = is(annotation('pv.kubernetes.io/provisioned-by'), VOLUME_PROVISIONER)
const alive = isAbsent('.metadata.deletionTimestamp')

/** The stages of volumes: a claim with a provisioner has one of its size. After kwok's kustomize/stage/volume/fast. */
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

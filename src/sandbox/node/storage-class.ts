import {STORAGE_CLASS} from '../stages/volume.ts'

/** The provisioner of the class: `toolbox/node/cmd/provisioner`. */
export const PROVISIONER = 'kk.openstack.org/directory'

/** The default class, with the same name as in a sandbox. Each claim gets a separate directory. */
export const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: {name: STORAGE_CLASS, annotations: {'storageclass.kubernetes.io/is-default-class': 'true'}},
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
}

import {STORAGE_CLASS} from '../stages/volume.ts'

/** The provisioner of the class's volumes: `toolbox/node/cmd/provisioner`. */
export const PROVISIONER = 'kk.openstack.org/directory'

/** The default class, under the name that it has in a sandbox. Each claim gets a directory of its own. */
export const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: {name: STORAGE_CLASS, annotations: {'storageclass.kubernetes.io/is-default-class': 'true'}},
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
}

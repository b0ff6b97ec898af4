import {STORAGE_CLASS, VOLUME_PROVISIONER} from '../stages/volume.ts'

/** The node labels that openstack-helm's charts, and kk's, select. */
export const OPENSTACK_LABELS = {
  'openstack-control-plane': 'enabled',
  'openstack-compute-node': 'enabled',
  'openstack-network-node': 'enabled',
  'openstack-node': 'enabled',
  openvswitch: 'enabled',
}

/** Returns the initial objects of a new control plane: nodes and a default StorageClass. */
export function firstObjects(nodes: number): object {
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [storageClass(), ...Array.from({length: nodes}, (_, index) => node(index + 1))],
  }
}

function storageClass(): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {name: STORAGE_CLASS, annotations: {'storageclass.kubernetes.io/is-default-class': 'true'}},
    provisioner: VOLUME_PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  }
}

function node(number: number): object {
  const name = `node-${number}`
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: {'kwok.x-k8s.io/node': 'fake'},
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...OPENSTACK_LABELS,
      },
    },
    status: {
      addresses: [
        {type: 'InternalIP', address: `172.31.${number >> 8}.${number & 255}`},
        // kwok serves every kubelet at this address, and the API server is configured to prefer it.
        {type: 'Hostname', address: 'localhost'},
      ],
    },
  }
}

import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {rollingUpdateOfDaemons, rollingUpdateOfNodes} from '../shared/sizing.ts'
import {cephClient, storageOfClient} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'libvirt',
  reads: ['computes', 'storage', 'ceph', 'ipFamily'],
  // nova and cinder refer to Ceph's key by it.
  secrets: [
    {
      name: 'ceph.cinder.secret_uuid',
      kind: 'uuid',
      path: ['conf', 'ceph', 'cinder', 'secret_uuid'],
      byHand: {
        why: 'guests with disks on Ceph were started with it, and name it',
        first: 'move or shut down all guests with disks on Ceph',
      },
    },
  ],
  kk: (facts) =>
    compose(
      rollingUpdateOfNodes(facts.computes),
      // Where consoles listen that nova does not place.
      facts.ipFamily === 'ipv6' ? {conf: {qemu: {vnc_listen: '::'}}} : undefined,
      ifKnown(facts.ceph, () => belowGlobal(storageOfClient(facts))),
    ),
  overrides: (facts) =>
    compose(
      // No memory limit, even on one machine, for the guests run in this container.
      rollingUpdateOfDaemons(facts.computes, ['libvirt']),
      cephClient(facts),
      facts.storage === 'ceph'
        ? ifKnown(facts.ceph?.user, (user) => ({conf: {ceph: {cinder: {user}}}}))
        : undefined,
      ifKnown(facts.ipFamily, (family) =>
        family === 'ipv6' ? {conf: {libvirt: {listen_addr: '::'}, qemu: {vnc_listen: '::'}}} : undefined,
      ),
    ),
})

import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {becomes} from '../support/machines.ts'

/** What Ceph says to a monitor. */
function ceph(command: string): Promise<string> {
  const monitor = ['--name', 'mon.', '--keyring', '/etc/ceph/mon.keyring']
  return kubectl([
    ...['exec', '--namespace', NAMESPACE, 'ceph-mon-0', '--container', 'mon', '--'],
    ...['ceph', ...monitor, ...command.split(' ')],
  ])
}

beforeAll(cloudUp)

/**
 * Ceph warns of the disk of the machine when less than a tenth of it is free, which its pods do not change.
 */
const HEALTHY = /^HEALTH_(OK|WARN mon \S+ is low on available space)\s*$/

describe('cinder, ceph: volumes', () => {
  it('are created, snapshotted, backed up and restored, and created from an image', async () => {
    await inClient(`
      head --bytes 8M /dev/urandom >/tmp/sent
      openstack image create --disk-format raw --container-format bare --file /tmp/sent kk-storage >/dev/null
      openstack volume create --size 1 --image kk-storage kk-storage >/dev/null`)
    await becomes('volume', 'kk-storage', 'available')
    await inClient('openstack volume snapshot create --volume kk-storage kk-storage >/dev/null')
    await becomes('volume snapshot', 'kk-storage', 'available')
    await inClient('openstack volume backup create --name kk-storage kk-storage >/dev/null')
    await becomes('volume backup', 'kk-storage', 'available')
    await inClient('openstack volume create --size 1 kk-restored >/dev/null')
    await becomes('volume', 'kk-restored', 'available')
    await inClient('openstack volume backup restore --force kk-storage kk-restored >/dev/null')
    await becomes('volume', 'kk-restored', 'available')

    await inClient('openstack image create --volume kk-restored --disk-format raw kk-restored >/dev/null')
    await becomes('image', 'kk-restored', 'active')
    const sums = await inClient(`
      openstack image save --file /tmp/received kk-restored
      head --bytes 8M /tmp/received | sha256sum; sha256sum </tmp/sent`)

    const [received, sent] = sums.split('\n')
    expect(received).toBe(sent)
  })

  it('are created from a qcow2 image, and uploaded as one', async (test) => {
    test.onTestFinished(() =>
      inClient(`
        openstack image delete kk-qcow2 || true
        openstack volume delete kk-qcow2 || true`).then(() => undefined),
    )
    await inClient('openstack image create --volume kk-restored --disk-format qcow2 kk-qcow2 >/dev/null')
    await becomes('image', 'kk-qcow2', 'active')
    await inClient('openstack volume create --size 1 --image kk-qcow2 kk-qcow2 >/dev/null')
    await becomes('volume', 'kk-qcow2', 'available')

    await inClient('openstack image create --volume kk-qcow2 --disk-format raw kk-raw >/dev/null')
    await becomes('image', 'kk-raw', 'active')
    const magic = await inClient(`
      openstack image save --file /tmp/qcow2 kk-qcow2
      openstack image save --file /tmp/raw kk-raw
      openstack image delete kk-raw
      cmp <(head --bytes 8M /tmp/raw) /tmp/sent
      head --bytes 3 /tmp/qcow2`)

    expect(magic).toBe('QFI')
  })

  it('survive the deletion of each Ceph pod', async () => {
    const pods = ['ceph-mon-0', 'ceph-mgr-0', 'ceph-osd-0']

    await kubectl(['delete', 'pod', '--namespace', NAMESPACE, ...pods])
    for (const pod of pods)
      await kubectl(['wait', `pod/${pod}`, '--namespace', NAMESPACE, '--for=condition=Ready', '--timeout=5m'])

    await waitFor(async () => HEALTHY.test(await ceph('health')) && {}, {
      until: 'Ceph is healthy',
      seconds: 300,
    })
    await inClient(`
      openstack image save --file /tmp/again kk-restored
      cmp <(head --bytes 8M /tmp/again) /tmp/sent`)
  })

  it('leave nothing behind after their deletion', async () => {
    await inClient(`
      openstack image delete kk-restored
      openstack volume delete kk-restored
      openstack volume snapshot delete kk-storage
      openstack volume backup delete kk-storage`)
    await waitFor(
      async () =>
        (await inClient(
          'openstack volume snapshot list --format value; openstack volume backup list --format value',
        )) === '' && {},
      {until: 'snapshot and backup are gone', seconds: 120},
    )
    await inClient('openstack volume delete kk-storage')
    await waitFor(
      async () =>
        !(await inClient('openstack volume list --format value --column Name')).includes('kk-') && {},
      {until: 'the volumes are gone', seconds: 120},
    )

    await inClient('openstack image delete kk-storage')
    expect(await inClient('openstack image list --format value --column Name')).not.toContain('kk-')
  })
})

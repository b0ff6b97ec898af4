import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient, openstack} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {
  becomes,
  bootOf,
  inMachine,
  machine,
  page,
  removeMachine,
  smallFlavors,
  startedAgain,
  startMachine,
} from '../support/machines.ts'
import {lostPings} from '../support/network-guests.ts'

let first: Instance

beforeAll(async () => {
  await cloudUp()
  first = await machine()
  return smallFlavors()
})

describe('nova, neutron: a virtual machine with a floating IP', () => {
  it('responds to ping, SSH and HTTP', async () => {
    const lost = await lostPings(first.address, async () => {
      expect(await inMachine(first, 'hostname')).toBe('first')
      // An emulated machine may take longer for one answer than a call waits, if the machine below is busy.
      await waitFor(async () => (await page(`http://${first.address}/`)) === 200, {
        until: 'its web server answers',
        seconds: 60,
      })
    })

    expect(lost).toBe(0)
  })

  it('gets its name and key from the metadata service, and knows its floating IP', async () => {
    const said = await inMachine(
      first,
      'hostname; wc -l </root/.ssh/authorized_keys; curl http://169.254.169.254/latest/meta-data/public-ipv4',
    )

    expect(said.split('\n').map((line) => line.trim())).toEqual(['first', '1', first.address])
  })

  it('boots from a disk of less than 40 MB', async () => {
    expect(Number(await inClient('stat --format %s /usr/share/guest/guest.raw'))).toBeLessThan(40_000_000)
  })

  it('is in a network that is one switch in OVN, whichever release created it', async () => {
    const listed = await kubectl([
      ...['exec', '--namespace', NAMESPACE, 'deployment/ovn-northd', '--'],
      ...['ovn-nbctl', '--timeout=10', '--bare', '--columns=name', 'list', 'Logical_Switch'],
    ])
    const switches = listed.split(/\s+/).filter(Boolean)

    expect(switches).toEqual([...new Set(switches)])
  })

  it('is reachable on a port only if its security group has a rule', async () => {
    const url = `http://${first.address}/`
    expect(await page(url)).toBe(200)
    const rules = await openstack<readonly {readonly ID: string; readonly 'Port Range': string}[]>(
      'security group rule list first --protocol tcp',
    )
    const rule = rules.find((each) => each['Port Range'] === '80:80')!

    await inClient(`openstack security group rule delete ${rule.ID}`)
    await waitFor(async () => (await page(url)) === undefined, {until: 'port 80 is shut'})
    await inClient('openstack security group rule create first --protocol tcp --dst-port 80')

    await waitFor(async () => (await page(url)) === 200, {until: 'port 80 is open'})
  })

  it('survives a reboot, with its disk unchanged and its volume at /data', async () => {
    await inMachine(first, 'echo kept >/mnt/kept; blkid /dev/vdb || mkfs.ext4 -q -F /dev/vdb; sync')
    const before = await bootOf(first)

    await inClient('openstack server reboot --wait first')

    await startedAgain(first, before)
    expect(
      await inMachine(first, "cat /mnt/kept; sed -n 's,^/dev/vdb \\(\\S*\\) .*,\\1,p' /proc/mounts"),
    ).toBe('kept\n/data')
  })
})

describe('cinder: a volume', () => {
  it('keeps the data of one machine for another one', async () => {
    onTestFinished(() => removeMachine('kk-other'))
    await inMachine(
      first,
      'umount /data; mkfs.ext4 -q -F /dev/vdb && mount /dev/vdb /data && echo written >/data/file && umount /data',
    )

    await inClient('openstack server remove volume first first')
    await becomes('volume', 'first', 'available')
    const other = await startMachine(first, 'kk-other', '--image guest')
    await inClient('openstack server add volume kk-other first >/dev/null')
    await becomes('volume', 'first', 'in-use')
    const found = await inMachine(other, 'mount /dev/vdb /mnt; cat /mnt/file; umount /mnt')
    await inClient('openstack server remove volume kk-other first')
    await becomes('volume', 'first', 'available')
    await inClient('openstack server add volume first first >/dev/null')
    await becomes('volume', 'first', 'in-use')

    expect(found).toBe('written')
  })
})

import {beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient} from '../support/client.ts'
import {cloudUp} from '../support/cloud.ts'
import {inMachine, machine, page} from '../support/machines.ts'

let first: Instance

beforeAll(async () => {
  await cloudUp()
  first = await machine()
})

describe('a virtual machine with a floating address', () => {
  it('has its name and its key from the metadata service, and knows its floating address', async () => {
    const said = await inMachine(
      first,
      'hostname; wc -l </root/.ssh/authorized_keys; curl http://169.254.169.254/latest/meta-data/public-ipv4',
    )

    expect(said.split('\n').map((line) => line.trim())).toEqual(['first', '1', first.address])
  })

  it('is shut for a port when its security group is, and open again', async () => {
    const url = `http://${first.address}/`
    expect(await page(url)).toBe(200)
    const rules = `openstack security group rule list first --protocol tcp --format json`
    const {ID} = JSON.parse(await inClient(rules)).find(
      (rule: {readonly 'Port Range': string}) => rule['Port Range'] === '80:80',
    )

    await inClient(`openstack security group rule delete ${ID}`)
    await waitFor(async () => (await page(url)) === undefined, {until: 'port 80 is shut'})
    await inClient('openstack security group rule create first --protocol tcp --dst-port 80')

    await waitFor(async () => (await page(url)) === 200, {until: 'port 80 is open', seconds: 60})
  })

  it('comes back from a reboot, with its disk as it was', async () => {
    const boot = 'cat /proc/sys/kernel/random/boot_id'
    await inMachine(first, 'echo kept >/mnt/kept; sync')
    const before = await inMachine(first, boot)

    await inClient('openstack server reboot --wait first')

    await waitFor(async () => (await inMachine(first, boot)) !== before, {
      until: 'it has started',
      seconds: 300,
    })
    expect(await inMachine(first, 'cat /mnt/kept')).toBe('kept')
  })
})

describe('a volume', () => {
  it('keeps what one machine writes, and another one finds it', async () => {
    await inMachine(
      first,
      'mkfs.ext4 -q -F /dev/vdb && mount /dev/vdb /data && echo written >/data/file && umount /data',
    )

    await inClient(`
      openstack server remove volume first first
      openstack server create --image guest --flavor small --network first --security-group first --key-name first --wait other >/dev/null
      openstack server add volume other first
      openstack floating ip create public --port "$(openstack port list --server other --format value --column ID)" >/dev/null
    `)
    const address = await inClient('openstack floating ip list --format json')
    const other = JSON.parse(address).find(
      (ip: {readonly 'Floating IP Address': string}) => ip['Floating IP Address'] !== first.address,
    )
    const second = {...first, address: other['Floating IP Address'] as string}

    expect(await inMachine(second, 'mount /dev/vdb /mnt; cat /mnt/file; umount /mnt')).toBe('written')
    await inClient(`
      openstack server delete --wait other
      openstack floating ip delete ${second.address}
      openstack server add volume first first
    `)
  })
})

import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type Instance, ssh} from '../../../scripts/cloud/instance.ts'
import {inClient, openstack} from '../support/client.ts'
import {inMachine} from '../support/machines.ts'
import {hostOf, useCloud} from '../support/node-guests.ts'
import {expectConsistent} from '../support/several-nodes.ts'

const LIMIT_MBPS = 2
/** What a limit lets pass for a short time, and what one second of measuring is off. */
const ABOUT = 1.5
const NAMES = ['kk-live', 'kk-volume'] as const

const cloud = useCloud()
beforeAll(clean)
afterAll(clean)

async function clean(): Promise<void> {
  await inClient(`
    for port in $(openstack port list --server kk-live --format value --column ID); do openstack port unset --qos-policy $port; done
    for each in ${NAMES.join(' ')}; do openstack network trunk delete trunk-$each 2>/dev/null || true; done
    for each in ${NAMES.join(' ')}; do openstack port delete inner-$each 2>/dev/null || true; done
    openstack network delete inner 2>/dev/null || true
    openstack network qos policy delete limited 2>/dev/null || true`)
}

/** How fast an instance sends, in Mbit/s; the time to log in is part of it. */
async function sends(instance: Instance): Promise<number> {
  const bytes = 2 ** 21
  const [command, ...args] = ssh(instance, `head -c ${bytes} /dev/zero`)
  const began = Date.now()
  await execa(command, args, {stdout: 'ignore'})
  return (bytes * 8) / 1000 / (Date.now() - began)
}

/** Gives an instance a second network on its port, with a VLAN; resolves with its address there. */
async function addTrunk(name: (typeof NAMES)[number], vlan: number): Promise<string> {
  await inClient(`
    openstack port create inner-${name} --network inner --disable-port-security >/dev/null
    openstack network trunk create trunk-${name} --parent-port $(openstack port list --server ${name} --format value --column ID) \\
      --subport port=inner-${name},segmentation-type=vlan,segmentation-id=${vlan} >/dev/null`)
  interface Port {
    readonly mac_address: string
    readonly fixed_ips: readonly [{readonly ip_address: string}]
  }
  const port = await openstack<Port>(`port show inner-${name}`)
  const address = port.fixed_ips[0].ip_address
  await inMachine(
    cloud.guests[name],
    `modprobe 8021q
    ip link show inner >/dev/null 2>&1 || ip link add link eth0 name inner type vlan id ${vlan}
    ip link set inner address ${port.mac_address} mtu 1300 up
    ip addr flush dev inner; ip addr add ${address}/24 dev inner`,
  )
  return address
}

describe('nova, neutron: an instance that moves', () => {
  it('keeps its configuration drive, the limit of its port and the VLAN on it', async () => {
    const {'kk-live': moved} = cloud.guests
    const unlimited = await sends(moved)
    await inClient(`
      openstack network qos policy create limited >/dev/null
      openstack network qos rule create limited --type bandwidth-limit --egress --max-kbps ${LIMIT_MBPS * 1000} --max-burst-kbits ${LIMIT_MBPS * 800} >/dev/null
      openstack port set --qos-policy limited $(openstack port list --server kk-live --format value --column ID)
      openstack network create inner >/dev/null
      openstack subnet create inner --network inner --subnet-range 192.0.2.0/24 --gateway none >/dev/null`)
    await addTrunk('kk-live', 42)
    const other = await addTrunk('kk-volume', 43)
    // The flows of a new port take a moment.
    const ping = `for try in $(seq 30); do ping -c 1 -W 1 ${other} >/dev/null && echo reached && exit; done`
    const reached = () => inMachine(moved, `${ping}; exit 1`)
    const drive = () =>
      inMachine(
        moved,
        `mount -r "$(findfs LABEL=config-2)" /mnt; grep -o kk-live /mnt/openstack/latest/meta_data.json | head -n 1; umount /mnt`,
      )
    const before = [await sends(moved), await reached(), await drive()] as const
    const from = await hostOf('kk-live')

    await inClient('openstack server migrate --live-migration --wait kk-live')

    const after = [await sends(moved), await reached(), await drive()] as const
    process.stderr.write(
      `sent ${unlimited.toFixed(1)}, ${before[0].toFixed(1)} and ${after[0].toFixed(1)} Mbit/s\n`,
    )
    expect(await hostOf('kk-live')).not.toBe(from)
    expect(unlimited).toBeGreaterThan(LIMIT_MBPS * ABOUT)
    for (const [speed, ...rest] of [before, after]) {
      expect(speed).toBeLessThan(LIMIT_MBPS * ABOUT)
      expect(rest).toEqual(['reached', 'kk-live'])
    }
    expect(await openstack('port show inner-kk-live')).toMatchObject({status: 'ACTIVE'})
    await expectConsistent()
  })
})

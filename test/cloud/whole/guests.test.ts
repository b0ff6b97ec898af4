import {readdir, readFile} from 'node:fs/promises'
import {execa} from 'execa'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {kubectl} from '../../aio/support/node.ts'
import {uniqueName, waitFor} from '../../e2e/support/cluster.ts'
import {inClient, openstack} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {becomes, bootOf, inMachine, machine, startedAgain} from '../support/machines.ts'

/** The pods on a node that a guest depends on: the release and the component. */
const LIBVIRT = ['libvirt', 'libvirt'] as const
const COMPUTE = ['nova', 'compute'] as const
const CONTROLLER = ['ovn', 'controller'] as const
const SWITCH = [['openvswitch', 'db'] as const, ['openvswitch', 'vswitchd'] as const]

type Component = readonly [release: string, component: string]

let first: Instance
let uuid: string
beforeAll(async () => {
  await cloudUp()
  first = await machine()
  uuid = await inClient('openstack server show first --format value --column id')
})

/** The process of QEMU that runs an instance. */
async function qemuOf(instance: string): Promise<string> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('qemu-system') && command.includes(`-uuid\0${instance}`)) return pid
  }
  throw new Error(`no process runs ${instance}`)
}

/** What virsh prints in libvirt's pod. */
function virsh(...args: readonly string[]): Promise<string> {
  return kubectl(['exec', '--namespace', NAMESPACE, 'daemonset/libvirt-libvirt', '--', 'virsh', ...args])
}

/** Deletes the pods of components, all at once, and waits until there are new ones that are ready. */
async function replacePods(components: readonly Component[]): Promise<void> {
  const selectors = components.map(([release, component]) => [
    '--selector',
    `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`,
  ])
  const inCloud = ['--namespace', NAMESPACE]
  await Promise.all(selectors.map((labels) => kubectl(['delete', 'pods', ...inCloud, ...labels])))
  const condition = ['--output', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}']
  for (const labels of selectors) {
    const ready = () => kubectl(['get', 'pods', ...inCloud, ...labels, ...condition])
    await waitFor(async () => (await ready()) === 'True', {until: `${labels[1]} is ready`, seconds: 400})
  }
}

/** Takes the volume from the machine and gives it back, as the machine sees it. */
async function changeVolume(): Promise<void> {
  const disks = () => inMachine(first, 'umount /data 2>/dev/null; lsblk --nodeps --noheadings --output NAME')
  await disks()
  await inClient('openstack server remove volume first first')
  await becomes('volume', 'first', 'available')
  await waitFor(async () => (await disks()) === 'vda', {until: 'the volume is gone'})
  await inClient('openstack server add volume first first >/dev/null')
  await becomes('volume', 'first', 'in-use')
  await waitFor(async () => (await disks()) === 'vda\nvdb', {until: 'the volume is back'})
}

describe('libvirt: the QEMU process of a machine', () => {
  it('is not in the cgroup of a pod, in any hierarchy', async () => {
    const cgroups = await readFile(`/proc/${await qemuOf(uuid)}/cgroup`, 'utf8')

    expect(cgroups).not.toContain('kubepods')
  })

  it('loads no modules from an image that may be pruned', async () => {
    const mounts = await readFile(`/proc/${await qemuOf(uuid)}/mountinfo`, 'utf8')

    // Its fourth and fifth columns are what is mounted, and where.
    expect(mounts).toMatch(/^\S+ \S+ \S+ \S+\/runtime\/[0-9a-f]{16} \/usr /m)
    expect(
      await virsh('qemu-monitor-command', uuid, '--hmp', 'drive_add 0 if=none,id=none,file=rbd:none/none'),
    ).not.toMatch(/unknown (protocol|driver)/i)
  })

  it('is reached again if its device is down after a restart, as a race of libvirt and the switch leaves it', async () => {
    const [port] = await openstack<readonly [{readonly ID: string}]>('port list --server first')
    const device = `tap${port.ID.slice(0, 11)}`
    await bootOf(first)

    await execa('ip', ['link', 'set', 'dev', device, 'down'])

    await waitFor(
      async () => !(await execa('ping', ['-c', '1', '-W', '1', first.address], {reject: false})).failed,
      {
        ...{until: 'the machine answers', seconds: 20},
      },
    )
  })

  it.each<[string, readonly Component[]]>([
    ['libvirt', [LIBVIRT]],
    ['nova-compute', [COMPUTE]],
    ["OVN's controller", [CONTROLLER]],
    ['Open vSwitch', SWITCH],
    ['all of them', [LIBVIRT, COMPUTE, CONTROLLER, ...SWITCH]],
  ])(
    'keeps running while these pods are replaced, and is managed by the new ones: %s',
    async (_what, components) => {
      const [pid, boot] = [await qemuOf(uuid), await bootOf(first)]

      await replacePods(components)

      expect(await bootOf(first)).toBe(boot)
      expect(await qemuOf(uuid)).toBe(pid)
      expect(await virsh('domstate', uuid)).toContain('running')
      expect(await inClient('openstack server show first --format value --column status')).toBe('ACTIVE')

      const mark = uniqueName('said')
      await inMachine(first, `echo ${mark} >/dev/ttyS0`)
      const log = await inClient('openstack console log show first')
      expect(log).toContain('guest: first is ready')
      expect(log).toContain(mark)

      await changeVolume()

      await inClient('openstack server reboot --hard --wait first')
      await startedAgain(first, boot)
      expect(await virsh('domstate', uuid)).toContain('running')
      await waitFor(
        async () => (await inClient('openstack console log show first')).includes('guest: first is ready'),
        {until: 'the console of the new start is there'},
      )
    },
  )
})

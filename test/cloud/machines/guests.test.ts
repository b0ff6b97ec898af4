import {readdir, readFile} from 'node:fs/promises'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {inMachine, machine} from '../support/machines.ts'

const BOOT = 'cat /proc/sys/kernel/random/boot_id'

let first: Instance
let uuid: string
beforeAll(async () => {
  await cloudUp()
  first = await machine()
  uuid = (await inClient('openstack server show first --format value --column id')).trim()
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

async function replacePods(...daemonSets: readonly string[]): Promise<void> {
  const selectors = daemonSets.map((name) => {
    const [release, component] = name.split('-')
    return ['--selector', `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`]
  })
  for (const labels of selectors) await kubectl(['delete', 'pods', '--namespace', NAMESPACE, ...labels])
  const condition = ['--output', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}']
  for (const labels of selectors) {
    const ready = () => kubectl(['get', 'pods', '--namespace', NAMESPACE, ...labels, ...condition])
    await waitFor(async () => (await ready()) === 'True', {until: `${labels[1]} is ready`, seconds: 400})
  }
}

describe('the QEMU of a machine', () => {
  it('is in no cgroup of a pod, in any hierarchy', async () => {
    const cgroups = await readFile(`/proc/${await qemuOf(uuid)}/cgroup`, 'utf8')

    expect(cgroups).not.toContain('kubepods')
  })

  it('goes on while the pods of libvirt and nova-compute are replaced', async () => {
    const [pid, boot] = [await qemuOf(uuid), await inMachine(first, BOOT)]

    await replacePods('libvirt-libvirt', 'nova-compute')

    expect(await qemuOf(uuid)).toBe(pid)
    expect(await inMachine(first, BOOT)).toBe(boot)
    expect(await virsh('domstate', uuid)).toContain('running')
    await waitFor(
      async () => (await inClient('openstack compute service list --service nova-compute')).includes('| up '),
      {until: 'nova-compute is up', seconds: 180},
    )
    expect(await inClient('openstack server show first --format value --column status')).toBe('ACTIVE')
  })

  it('takes none of its modules from an image that may be pruned', async () => {
    const mounts = await readFile(`/proc/${await qemuOf(uuid)}/mountinfo`, 'utf8')

    // Its fourth and fifth columns are what is mounted, and where.
    expect(mounts).toMatch(/^\S+ \S+ \S+ \/var\/lib\/libvirt\/runtime\/\S+ \/usr /m)
    expect(
      await virsh('qemu-monitor-command', uuid, '--hmp', 'drive_add 0 if=none,id=none,file=rbd:none/none'),
    ).not.toMatch(/unknown (protocol|driver)/i)
  })

  it('says on its console what it said before, and is rebooted by the new pods', async () => {
    const boot = await inMachine(first, BOOT)
    expect(await inClient('openstack console log show first')).toContain('is ready')

    await inClient('openstack server reboot --hard --wait first')

    await waitFor(async () => (await inMachine(first, BOOT)) !== boot, {
      until: 'it has started',
      seconds: 300,
    })
    expect(await inClient('openstack server show first --format value --column status')).toBe('ACTIVE')
  })
})

describe('the console', () => {
  it('is served to browsers by a link that nova gives', async () => {
    const {url} = JSON.parse(await inClient('openstack console url show first --format json')) as {
      url: string
    }

    const page = await fetch(url)

    expect(page.status).toBe(200)
    expect(await page.text()).toContain('noVNC')
  })
})

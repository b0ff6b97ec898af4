import {beforeAll, describe, expect, it, type TestContext} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {inClient} from '../support/client.ts'
import {cloudUp} from '../support/cloud.ts'
import {
  becomes,
  bootOf,
  inMachine,
  machine,
  removeMachine,
  smallFlavors,
  startedAgain,
  startMachine,
} from '../support/machines.ts'

const KEEP = 'echo kept >/root/kept; sync'

let first: Instance

beforeAll(async () => {
  await cloudUp()
  first = await machine()
  return smallFlavors()
})

/** A machine that goes when the test ends. */
function starts({onTestFinished}: TestContext, name: string, disk: string): Promise<Instance> {
  onTestFinished(() => removeMachine(name))
  return startMachine(first, name, disk)
}

// They wait for each step of their machines, so all are under way at once.
describe.concurrent('nova, placement: a virtual machine from an image', () => {
  it('is resized, and has more memory and vCPUs with its disk unchanged', async (test) => {
    const one = await starts(test, 'kk-resized', '--image guest')
    const boot = await bootOf(one)
    await inMachine(one, KEEP)

    await inClient('openstack server resize --flavor kk-more --wait kk-resized')
    await inClient('openstack server resize confirm kk-resized')
    await becomes('server', 'kk-resized', 'ACTIVE')

    await startedAgain(one, boot)
    const [processors, kibibytes, kept] = (
      await inMachine(one, "nproc; awk '/^MemTotal/ { print $2 }' /proc/meminfo; cat /root/kept")
    ).split('\n')
    expect(processors).toBe('2')
    expect(Number(kibibytes)).toBeGreaterThan(128 * 1024)
    expect(kept).toBe('kept')
  })

  it('is saved in a snapshot, from which another one boots', async (test) => {
    const one = await starts(test, 'kk-kept', '--image guest')
    await inMachine(one, KEEP)
    test.onTestFinished(() => inClient('openstack image delete kk-kept').then(() => undefined))

    await inClient('openstack server image create --wait --name kk-kept kk-kept >/dev/null')
    await removeMachine('kk-kept')
    const two = await starts(test, 'kk-again', '--image kk-kept')

    expect(await inMachine(two, 'hostname; cat /root/kept')).toBe('kk-again\nkept')
    // Ceph keeps the snapshot as long as a disk is made of it.
    await removeMachine('kk-again')
  })

  it('is rebuilt with the same ID and address and a new disk', async (test) => {
    const one = await starts(test, 'kk-rebuilt', '--image guest')
    const boot = await bootOf(one)
    await inMachine(one, KEEP)

    await inClient('openstack server rebuild --image guest --wait kk-rebuilt >/dev/null')

    await startedAgain(one, boot)
    expect(await inMachine(one, 'hostname; ls /root')).toBe('kk-rebuilt')
  })
})

describe.concurrent('nova, cinder: a virtual machine from a volume', () => {
  it('leaves its disk to the next machine', async (test) => {
    test.onTestFinished(() => inClient('openstack volume delete kk-root').then(() => undefined))
    await inClient('openstack volume create --size 1 --image guest --bootable kk-root >/dev/null')
    await becomes('volume', 'kk-root', 'available')
    const one = await starts(test, 'kk-from-volume', '--volume kk-root')
    await inMachine(one, KEEP)

    await removeMachine('kk-from-volume')
    await becomes('volume', 'kk-root', 'available')
    const two = await starts(test, 'kk-from-volume', '--volume kk-root')

    expect(await inMachine(two, 'cat /root/kept')).toBe('kept')
    await removeMachine('kk-from-volume')
    await becomes('volume', 'kk-root', 'available')
  })
})

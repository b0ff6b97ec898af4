import {loadavg} from 'node:os'
import {describe, expect, it} from 'vitest'
import {inClient, openstack} from '../support/client.ts'
import {onCloud} from '../support/cloud.ts'
import {bootOf} from '../support/machines.ts'
import {CALM_LOAD, hostOf, useCloud} from '../support/node-guests.ts'
import {phase} from '../support/phase.ts'
import {expectConsistent, healthy, takeBack, traces} from '../support/several-nodes.ts'

const cloud = useCloud()

describe('nova, neutron, ovn: a hypervisor', () => {
  const LABELS = ['openstack-compute-node', 'openvswitch']
  const remove = (...flags: readonly string[]) => {
    const chosen = LABELS.flatMap((label) => ['--label', label])
    return onCloud(['node', 'remove', 'node-2', cloud.file, ...chosen, ...flags])
  }

  it('is not removed while instances are there', async () => {
    const here = await openstack<readonly unknown[]>('server list --all-projects --host node-2')
    if (here.length === 0)
      await inClient('openstack server migrate --live-migration --host node-2 --wait kk-live')

    const {exitCode, stderr} = await remove('--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/node-2 is in use: instance kk-/)
    expect(stderr).toContain('nova starts instances here: kk node drain ends that')
  })

  it('leaves nothing behind when it is removed', async () => {
    const drained = await phase('drain', () => onCloud(['node', 'drain', 'node-2', cloud.file, '--yes']))
    expect(drained.exitCode, `${drained.stdout}\n${drained.stderr}`).toBe(0)

    const removed = await phase('removal', () => remove('--yes'))

    expect(removed.exitCode, `${removed.stdout}\n${removed.stderr}`).toBe(0)
    expect(await traces('node-2')).toEqual([])
    await takeBack('node-2')
    await healthy()
    await expectConsistent()
  })

  it('takes an instance 90 seconds after it was added at the latest', async () => {
    const began = Date.now()

    const added = await phase('addition', () => onCloud(['node', 'add', 'node-2', cloud.file, '--yes']))
    const seconds = (Date.now() - began) / 1000

    expect(added.exitCode, `${added.stdout}\n${added.stderr}`).toBe(0)
    process.stderr.write(
      `node-2 took instances after ${seconds.toFixed(0)} s, load ${loadavg()[0]!.toFixed(1)}\n`,
    )
    await inClient('openstack server migrate --live-migration --host node-2 --wait kk-live')
    expect(await hostOf('kk-live')).toBe('node-2')
    await bootOf(cloud.guests['kk-live'])
    if (loadavg()[0]! <= CALM_LOAD) expect(seconds).toBeLessThanOrEqual(90)
    await healthy(300)
    await expectConsistent()
  })
})

import {describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient} from '../support/client.ts'
import {onCloud} from '../support/cloud.ts'
import {bootOf} from '../support/machines.ts'
import {useCloud} from '../support/node-guests.ts'
import {phase} from '../support/phase.ts'
import {expectConsistent, healthy, membersOn, power, SPARE_NODE, traces} from '../support/several-nodes.ts'

// The last of these files: node-3 is gone for good.
const cloud = useCloud()

describe('mariadb, rabbitmq, ovn, ceph: a controller that is lost with its disks', () => {
  const replace = (...flags: readonly string[]) =>
    onCloud(['node', 'replace', 'node-3', cloud.file, '--with', SPARE_NODE, ...flags])

  it('is not given up while it may still be running', async () => {
    const {exitCode, stderr} = await replace('--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('the data of node-3 is not given up: its kubelet reports to Kubernetes')
  })

  it('is replaced by another node, whose members have all data', async () => {
    await power('stop', 'node-3')
    const replaced = await phase('replacement', () =>
      waitFor(
        async () => {
          const run = await replace('--yes')
          if (run.exitCode === 3) process.stderr.write(run.stderr)
          return run.exitCode !== 3 && run
        },
        {until: 'the others do without the node', seconds: 300},
      ),
    )

    expect(replaced.exitCode, `${replaced.stdout}\n${replaced.stderr}`).toBe(0)
    expect(await membersOn(SPARE_NODE)).toEqual(['ceph-mon', 'ceph-osd', 'mariadb', 'ovn', 'ovn', 'rabbitmq'])
    await inClient('openstack token issue && openstack server list')
    await bootOf(cloud.guests['kk-live'])
  })

  it('leaves nothing behind, and a healthy cloud', async () => {
    const removed = await phase('removal', () => onCloud(['node', 'remove', 'node-3', cloud.file, '--yes']))

    expect(removed.exitCode, `${removed.stdout}\n${removed.stderr}`).toBe(0)
    expect(await traces('node-3')).toEqual([])
    await kubectl(['delete', 'node', 'node-3'])
    await healthy()
    await expectConsistent()
  })
})

import {appendFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, inject, it} from 'vitest'
import {CLIENT} from '../../../scripts/cloud/client.ts'
import {FORMER_KUBERNETES} from '../../../scripts/toolbox/recipe.ts'
import type {Versions} from '../../../src/audit/versions.ts'
import type {Rolled} from '../../../src/verbs/nodes/roll.ts'
import {kubectl} from '../../aio/support/node.ts'
import {inClient} from '../support/client.ts'
import {onCloud, succeed} from '../support/cloud.ts'
import {upgradeControlPlane} from '../support/former-kubernetes.ts'
import {imageOf} from '../support/images.ts'
import {becomes, bootOf} from '../support/machines.ts'
import {useCloud, whileWatched} from '../support/node-guests.ts'
import {phase} from '../support/phase.ts'
import {plantedImage} from '../support/planted-image.ts'
import {
  clientOnSpareNode,
  expectConsistent,
  healthy,
  SPARE_NODE,
  withImage,
} from '../support/several-nodes.ts'

const NODES = ['node-1', 'node-2', 'node-3', SPARE_NODE]

const cloud = useCloud()

describe('libvirt, nova: nodes that are rolled', () => {
  const kubeletVersions = async () => {
    const versions = 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}'
    return (await kubectl(['get', 'nodes', '--output', versions])).split(' ')
  }
  const versions = async () => {
    const {stdout} = await onCloud(['status', cloud.file, '--versions', '--output', 'json'])
    const {parts} = (JSON.parse(stdout) as {readonly versions: Versions}).versions
    return parts.find(({kind}) => kind === 'QEMU')!.versions
  }

  it('have instances with the QEMU of before an upgrade, until these are moved', async () => {
    const from = imageOf('nova-libvirt')
    // The same program, one byte longer: a rebuild of the same version.
    const planted = await plantedImage(from, (root) =>
      appendFile(join(root, 'usr/bin/qemu-system-x86_64'), 'x'),
    )
    const changed = await withImage('libvirt', {libvirt: planted})
    await phase('libvirt upgraded', () => succeed(['upgrade', changed, 'libvirt', '--yes']))
    const before = await versions()
    const boots = await Promise.all([bootOf(cloud.guests['kk-live']), bootOf(cloud.guests['kk-volume'])])

    const rolled = await whileWatched('new QEMU', [cloud.guests['kk-live'], cloud.guests['kk-volume']], () =>
      onCloud(['node', 'roll', cloud.file, '--old-qemu', '--yes']),
    )

    expect(before.map(({version}) => version)).toEqual([
      expect.stringMatching(/^\d/),
      expect.stringMatching(/^another build than \d/),
    ])
    // One is tagged to be stopped, not to be moved.
    expect(rolled.exitCode, `${rolled.stdout}\n${rolled.stderr}`).toBe(1)
    expect(rolled.stdout).toContain('1 instance still with another QEMU than the node has')
    await inClient('openstack server stop kk-stop')
    await becomes('server', 'kk-stop', 'SHUTOFF')
    await inClient('openstack server start kk-stop')
    await becomes('server', 'kk-stop', 'ACTIVE')
    expect(await versions()).toHaveLength(1)
    expect(await Promise.all([bootOf(cloud.guests['kk-live']), bootOf(cloud.guests['kk-volume'])])).toEqual(
      boots,
    )
    await expectConsistent()
  })

  it('are upgraded to the next Kubernetes one after the other, and instances run on', async () => {
    const moved = [cloud.guests['kk-live'], cloud.guests['kk-volume']]
    const boots = await Promise.all(moved.map(bootOf))
    await upgradeControlPlane()
    const {gitVersion} = JSON.parse(await kubectl(['get', '--raw', '/version'])) as {gitVersion: string}
    const program = inject('aio').kk
    // A new kubelet on a node that restarts: all that ran there has ended.
    const restart = `"${program}" aio node stop $KK_NODE && "${program}" aio node start $KK_NODE`
    const words = ['node', 'roll', cloud.file, '--exec', restart, '--until', `kubelet=${gitVersion}`]

    await healthy()
    const before = await kubeletVersions()
    const planned = await onCloud([...words, '--dry-run'])
    // It has no controller, and would keep its node.
    await kubectl(['delete', 'pod', '--namespace', CLIENT.namespace, CLIENT.name, '--now'])
    const rolled = await whileWatched('Kubernetes upgraded', moved, () =>
      onCloud([...words, '--soak', '10s', '--timeout', '20m', '--yes', '--output', 'json']),
    )
    await clientOnSpareNode()
    if (rolled.exitCode !== 0) process.stderr.write(rolled.stderr)

    expect(before).toEqual(NODES.map(() => FORMER_KUBERNETES))
    expect(planned.stdout).toMatch(/node-1 +next\n +node-2 +next/)
    expect(rolled.exitCode, `${rolled.stdout}\n${rolled.stderr}`).toBe(0)
    const {nodes} = JSON.parse(rolled.stdout) as Rolled
    expect(nodes).toMatchObject(NODES.map((node) => ({node, result: 'rolled'})))
    process.stderr.write(nodes.map(({node, seconds}) => `${node} was upgraded in ${seconds} s\n`).join(''))
    expect(await kubeletVersions()).toEqual(NODES.map(() => gitVersion))
    expect(await Promise.all(moved.map(bootOf))).toEqual(boots)
    await expectConsistent()
  })
})

import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {inClient, openstack} from '../support/client.ts'
import {onCloud} from '../support/cloud.ts'
import {bootOf} from '../support/machines.ts'
import {GUESTS, hostOf, newGuests, useCloud, whileWatched} from '../support/node-guests.ts'
import {expectConsistent, healthy, SPARE_NODE, takeBack} from '../support/several-nodes.ts'

const cloud = useCloud(newGuests)
beforeAll(async () => {
  await inClient('OS_COMPUTE_API_VERSION=2.26 openstack server set --tag kk:maintenance=never kk-never')
})

const drain = (...flags: readonly string[]) => onCloud(['node', 'drain', 'node-1', cloud.file, ...flags])

async function statusOf(name: string): Promise<string> {
  return (await openstack<{readonly status: string}>(`server show ${name}`)).status
}

describe('nova: the instances of a node', () => {
  it('keep kubectl drain from it, which names the command that moves them', async () => {
    const pods = ['--ignore-daemonsets', '--pod-selector', 'kk.openstack.org/blocks-drain']
    try {
      const drained = kubectl(['drain', 'node-1', ...pods, '--timeout=30s'])

      await expect(drained).rejects.toMatchObject({
        stderr: expect.stringMatching(
          /nova-use-kk-node-drain-node-1-\S+" .*violate the pod's disruption budget/,
        ),
      })
    } finally {
      await kubectl(['uncordon', 'node-1'])
    }
  })
})

describe('nova, neutron: the instances of a node that is drained', () => {
  it('are moved, stopped or named as their tags say', async () => {
    const boots = await Promise.all([bootOf(cloud.guests['kk-live']), bootOf(cloud.guests['kk-volume'])])
    const planned = await drain('--dry-run')

    const drained = await whileWatched('drain', [cloud.guests['kk-live'], cloud.guests['kk-volume']], () =>
      drain('--yes'),
    )

    expect(planned.stdout).toMatch(/ 2\. +move live /)
    expect(planned.stdout).toMatch(/instance kk-never \(.*\) stays/)
    expect(drained.exitCode, drained.stderr).toBe(1)
    expect(drained.stdout).toMatch(
      /✘ instance kk-never \(\S+; project admin, user admin\) stays: its tag says so/,
    )
    expect(await Promise.all(GUESTS.map(hostOf))).toEqual(['node-2', 'node-2', 'node-1', 'node-1'])
    expect(await statusOf('kk-stop')).toBe('SHUTOFF')
    expect(await Promise.all([bootOf(cloud.guests['kk-live']), bootOf(cloud.guests['kk-volume'])])).toEqual(
      boots,
    )
    await expectConsistent()
  })

  it('leave an empty node with the last of them, while the cloud serves', async () => {
    await inClient('OS_COMPUTE_API_VERSION=2.26 openstack server unset --tag kk:maintenance=never kk-never')

    const drained = await whileWatched('drain to the end', [cloud.guests['kk-never']], () =>
      drain('--yes', '--timeout', '20m'),
    )

    expect(drained.exitCode, `${drained.stdout}\n${drained.stderr}`).toBe(0)
    expect(await hostOf('kk-never')).toBe('node-2')
    const left = await kubectl([
      ...['get', 'pods', '--all-namespaces', '--field-selector', 'spec.nodeName=node-1,status.phase=Running'],
      ...['--output', 'jsonpath={.items[*].metadata.ownerReferences[*].kind}'],
    ])
    // Nothing blocks kubectl drain either.
    expect(new Set(left.split(' '))).toEqual(new Set(['DaemonSet']))
    await inClient('openstack token issue >/dev/null; openstack server list >/dev/null')
  })

  it('return with it if the drain has stopped them', async () => {
    await takeBack('node-1')

    expect(await statusOf('kk-stop')).toBe('ACTIVE')
    await bootOf(cloud.guests['kk-stop'])
    const list = JSON.parse((await onCloud(['node', 'list', cloud.file, '--output', 'json'])).stdout)
    expect(list.nodes).toMatchObject(
      ['node-1', 'node-2', 'node-3', SPARE_NODE].map((node) => ({node, state: 'ready'})),
    )
    await healthy()
    await expectConsistent()
  })
})

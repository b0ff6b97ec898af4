import {describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient, openstack} from '../support/client.ts'
import {onCloud} from '../support/cloud.ts'
import {bootOf, inMachine, removeMachine, startMachine} from '../support/machines.ts'
import {GUESTS, hostOf, useCloud} from '../support/node-guests.ts'
import {phase} from '../support/phase.ts'
import {expectConsistent, healthy, power, takeBack} from '../support/several-nodes.ts'

const cloud = useCloud()

/** Resolves when a token and a list of servers come in time, and prints what did not. */
function serves(): Promise<unknown> {
  const calls = 'timeout 20 openstack token issue && timeout 20 openstack server list'
  return waitFor(
    () =>
      inClient(calls).catch(({stderr = ''}: {readonly stderr?: string}) => {
        process.stderr.write(`no answer: ${stderr.trim().split('\n').slice(-2).join(' ')}\n`)
        return undefined
      }),
    {until: 'the cloud serves without the node', seconds: 180},
  )
}

const idOf = async (name: string) => (await openstack<{readonly id: string}>(`server show ${name}`)).id

/** The ids of the instances that libvirt runs on a node. */
async function runningOn(node: string): Promise<readonly string[]> {
  const pods = ['--namespace', 'openstack', '--selector', 'app.kubernetes.io/component=libvirt']
  const pod = await kubectl([
    ...['get', 'pods', ...pods, '--field-selector', `spec.nodeName=${node}`, '--output', 'name'],
  ])
  const list = ['--', 'virsh', '--quiet', 'list', '--uuid']
  return (await kubectl(['exec', '--namespace', 'openstack', pod.trim(), ...list])).split('\n')
}

/**
 * Creates an instance as a user does while nova may not yet know that a node is away: what is not there after
 * a minute is deleted, and created again.
 */
async function createdElsewhere(): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startMachine(cloud.guests['kk-live'], 'kk-new', '--image guest', 'timeout 60')
    } catch (error) {
      if (attempt === 4) throw error
      process.stderr.write(`instance ${attempt} was not created in a minute\n`)
    }
  }
}

describe.each([
  {happening: 'loses its power', verb: 'stop'},
  {happening: 'is cut off the network, and runs on', verb: 'cut'},
] as const)('nova: the instances of a node that $happening', ({verb}) => {
  let lost: string

  it('start on the other hypervisor, once the node is certainly off', async () => {
    lost = await hostOf('kk-live')
    const others = GUESTS.filter((name) => name !== 'kk-live')
    await inMachine(cloud.guests['kk-live'], 'echo kept >/root/kept; sync')
    const before = await onCloud(['node', 'evacuate', lost, cloud.file, '--yes'])
    await power(verb, lost)
    const began = Date.now()

    await phase('a token by the other controllers', serves)
    const created = await phase('an instance on the other hypervisor', createdElsewhere)
    await bootOf(created)
    await removeMachine('kk-new')
    const evacuated = await phase('evacuation', () =>
      waitFor(
        async () => {
          const run = await onCloud(['node', 'evacuate', lost, cloud.file, '--yes'])
          return run.exitCode !== 3 && run
        },
        {until: 'the node is certainly off', seconds: 300},
      ),
    )
    process.stderr.write(
      `the instances ran again ${((Date.now() - began) / 1000).toFixed(0)} s after ${verb}\n`,
    )

    expect(before.exitCode).toBe(3)
    expect(before.stderr).toContain('its kubelet reports to Kubernetes; its nova-compute reports to nova')
    expect(evacuated.exitCode, `${evacuated.stdout}\n${evacuated.stderr}`).toBe(0)
    expect(await hostOf('kk-live')).not.toBe(lost)
    expect(await inMachine(cloud.guests['kk-live'], 'cat /root/kept')).toBe('kept')
    for (const name of others) await bootOf(cloud.guests[name])
    expect(await inClient('openstack server list --all-projects --status ERROR -f value -c Name')).toBe('')
  })

  it('run nowhere twice when the node is back', async () => {
    await power('start', lost)

    await phase('return', () => takeBack(lost))

    await healthy()
    expect(await runningOn(lost)).not.toContain(await idOf('kk-live'))
    expect(await inMachine(cloud.guests['kk-live'], 'cat /root/kept')).toBe('kept')
    await expectConsistent()
  })
})

import {describe, expect, it} from 'vitest'
import type {NodeRoll} from '../../../src/kubernetes/gate/node-roll.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const SET = {set: 'DaemonSet/agent', namespace: 'openstack', nodes: 2}

const pod = (name: string) => ({
  ...{apiVersion: 'v1', kind: 'Pod', namespace: 'openstack', uid: `uid of ${name}`},
  name,
})

/** A world in which each look at the pods gives the next of these; `wait` is what lies between. */
function worldOf(...looks: readonly Pick<NodeRoll, 'isSettled' | 'outdated' | 'ready'>[]) {
  const left = [...looks]
  return newWorld({
    record: bareRecord('openstack/keystone', 1),
    cluster: {
      health: port({nodeRolls: async () => left.splice(0, 1).map((look) => ({...SET, ...look}))}),
    },
  })
}

const deeds = (log: readonly string[]) =>
  log.filter((line) => /^(delete object|gate )|nodes have its new pod/.test(line))

describe('pods that are replaced node by node', () => {
  it('are deleted after helm and before the gate, each when those before are ready', async () => {
    const world = worldOf(
      {isSettled: true, ready: 0, outdated: [pod('first'), pod('second')]},
      {isSettled: false, ready: 0, outdated: [pod('second')]},
      {isSettled: true, ready: 1, outdated: [pod('second')]},
      {isSettled: false, ready: 1, outdated: []},
    )

    await world.execute(actionOf('upgrade', 1), workOf())

    expect(deeds(world.log)).toEqual([
      'gate: DaemonSet/agent: 0 of 2 nodes have its new pod',
      'delete object first',
      'gate: DaemonSet/agent: 1 of 2 nodes have its new pod',
      'delete object second',
      'gate Deployment/keystone-api',
    ])
  })

  it('are not awaited by an installation: its gate reports what is missing', async () => {
    const world = worldOf({isSettled: false, ready: 0, outdated: []})

    await world.execute(actionOf('upgrade', 1), workOf())

    expect(deeds(world.log)).toEqual(['gate Deployment/keystone-api'])
  })

  it('fail the release if the timeout expires before all are new, although all existing ones are ready', async () => {
    const world = newWorld({
      record: bareRecord('openstack/keystone', 1),
      cluster: {
        health: port({
          nodeRolls: async () => [{...SET, isSettled: true, ready: 1, outdated: [pod('second')]}],
        }),
      },
    })

    const ended = world.execute(actionOf('upgrade', 1), workOf(undefined, {timeoutSeconds: 0}))

    await expect(ended).rejects.toMatchObject({
      code: 'KK_UNHEALTHY',
      message: expect.stringContaining('DaemonSet/agent: 1 of 2 nodes have its new pod'),
    })
    expect(deeds(world.log)).not.toContain('delete object second')
  })

  it('are continued by a run that only awaits', async () => {
    const world = worldOf({isSettled: true, ready: 1, outdated: [pod('second')]})

    await world.execute(actionOf('await', 1))

    expect(deeds(world.log)).toContain('delete object second')
  })

  it('are kept if the release is only checked', async () => {
    const world = worldOf({isSettled: true, ready: 0, outdated: [pod('first')]})

    await world.execute(actionOf('check', 1))

    expect(deeds(world.log)).toEqual(['gate Deployment/keystone-api'])
  })
})

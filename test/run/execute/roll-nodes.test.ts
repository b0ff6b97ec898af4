import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {PassedHealth} from '../../../src/kubernetes/gate/health.ts'
import type {NodeRoll} from '../../../src/kubernetes/gate/node-roll.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const SET = {set: 'DaemonSet/agent', namespace: 'openstack', nodes: 2}

const pod = (name: string) => ({
  ...{apiVersion: 'v1', kind: 'Pod', namespace: 'openstack', uid: `uid of ${name}`},
  name,
  node: `node of ${name}`,
})

type Look = Pick<NodeRoll, 'isSettled' | 'outdated' | 'ready'> & Partial<NodeRoll>

const rollOf = (look: Look): NodeRoll => ({
  ...SET,
  awaited: look.isSettled ? [] : ['node-1'],
  deletable: look.isSettled ? 1 : 0,
  ...look,
})

const ROLLED = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, annotations: {kk.openstack.org/roll: node-by-node}}
spec: {updateStrategy: {type: OnDelete}}
`

/** A world in which each look at the pods gives the next of these; `wait` is what lies between. */
function worldOf(...looks: readonly Look[]) {
  const left = [...looks]
  return newWorld({
    record: bareRecord('openstack/keystone', 1),
    cluster: {
      health: port({nodeRolls: async () => left.splice(0, 1).map(rollOf)}),
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
          nodeRolls: async () => [rollOf({isSettled: true, ready: 1, outdated: [pod('second')]})],
        }),
      },
    })

    const ended = world.execute(actionOf('upgrade', 1), workOf(undefined, {timeoutSeconds: 0}))

    await expect(ended).rejects.toMatchObject({
      code: 'KK_UNHEALTHY',
      message: expect.stringContaining(
        'DaemonSet/agent: 1 of 2 nodes have its new pod; with the old pod, which the next run replaces: node of second',
      ),
    })
    expect(deeds(world.log)).not.toContain('delete object second')
  })

  it('are deleted together, as many as may be unavailable', async () => {
    const world = worldOf({
      isSettled: true,
      ready: 0,
      deletable: 2,
      outdated: [pod('first'), pod('second'), pod('third')],
    })

    await world.execute(actionOf('upgrade', 1), workOf())

    expect(deeds(world.log).filter((deed) => deed.startsWith('delete'))).toEqual([
      'delete object first',
      'delete object second',
    ])
  })

  it('have the timeout of the release for each node', async () => {
    const names = ['first', 'second', 'third', 'fourth']
    let look = 0
    const world: ReturnType<typeof newWorld> = newWorld({
      record: bareRecord('openstack/keystone', 1),
      cluster: {
        health: port({
          nodeRolls: async () => {
            const outdated = names.slice(look++).map(pod)
            if (look > 1) world.pass(50)
            return outdated.length === 0 ? [] : [rollOf({isSettled: true, ready: look - 1, outdated})]
          },
        }),
      },
    })

    await world.execute(actionOf('upgrade', 1), workOf(undefined, {timeoutSeconds: 60}))

    expect(deeds(world.log)).toContain('delete object fourth')
  })

  it('mark the record while nodes are left behind with an old pod', async () => {
    const left = {node: 'c', reason: 'NotReady', pod: 'agent-c', isCurrent: false} as const
    const note = {object: 'DaemonSet/agent', message: 'node c is left behind', leftBehind: [left]}
    const world = newWorld({
      record: {...bareRecord('openstack/keystone', 1), labels: {'kk.openstack.org/owner': 'all-in-one'}},
      manifests: {1: ROLLED},
      cluster: {
        health: port({gate: async () => ({state: 'partial', notes: [note]}), nodeRolls: async () => []}),
      },
    })

    await world.execute(actionOf('await', 1))

    expect(world.record?.labels).toMatchObject({
      'kk.openstack.org/gated': '1',
      'kk.openstack.org/left-behind': '1',
    })
  })

  it('are replaced by a run that awaits a revision whose nodes were left behind, and clear its mark', async () => {
    const looks: Look[] = [{isSettled: true, ready: 1, outdated: [pod('second')]}]
    const marks = {'kk.openstack.org/gated': '1', 'kk.openstack.org/left-behind': '1'}
    const world = newWorld({
      record: {
        ...bareRecord('openstack/keystone', 1),
        labels: {'kk.openstack.org/owner': 'all-in-one', ...marks},
      },
      manifests: {1: ROLLED},
      cluster: {health: port({nodeRolls: async () => looks.splice(0, 1).map(rollOf)})},
    })

    await world.execute(actionOf('await', 1))

    expect(deeds(world.log)).toContain('delete object second')
    expect(world.record?.labels).not.toHaveProperty(['kk.openstack.org/left-behind'])
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

describe('pods that Kubernetes replaces', () => {
  const forbidden = new KkError('KK_FORBIDDEN', 'may not delete pods', {hint: 'ask'})
  const unreachable = new KkError('KK_UNREACHABLE', 'no answer', {hint: 'wait'})

  /** A world whose gate passes when kk has looked at the pods so many times. */
  function heldWorld(...looks: readonly (readonly Look[] | KkError)[]) {
    const passed = Promise.withResolvers<PassedHealth>()
    const left = [...looks]
    const heldRolls = async () => {
      const look = left.shift() ?? []
      if (left.length === 0) passed.resolve({state: 'healthy'})
      if (look instanceof KkError) throw look
      return look.map(rollOf)
    }
    const gate = () => passed.promise
    return newWorld({
      record: bareRecord('openstack/keystone', 1),
      cluster: {health: port({gate, heldRolls})},
    })
  }

  it('are deleted while nodes that are away hold their rolling update up', async () => {
    const world = heldWorld(
      [{isSettled: true, ready: 0, outdated: [pod('first'), pod('second')]}],
      unreachable,
      [{isSettled: true, ready: 1, outdated: [pod('second')]}],
      [],
    )

    await world.execute(actionOf('upgrade', 1), workOf())

    expect(deeds(world.log)).toEqual(['delete object first', 'delete object second'])
  })

  it('are left to the gate if kk may not delete them, which is said once', async () => {
    const world = heldWorld(forbidden, forbidden, [])

    await world.execute(actionOf('upgrade', 1), workOf())

    expect(world.log.filter((line) => line.includes('old pods are not replaced'))).toEqual([
      'gate: old pods are not replaced: may not delete pods',
    ])
  })

  it('are kept if the release is only checked', async () => {
    const world = newWorld({
      record: bareRecord('openstack/keystone', 1),
      cluster: {
        health: port({
          heldRolls: async () => [rollOf({isSettled: true, ready: 0, outdated: [pod('first')]})],
        }),
      },
    })

    await world.execute(actionOf('check', 1))

    expect(deeds(world.log)).toEqual(['gate Deployment/keystone-api'])
  })
})

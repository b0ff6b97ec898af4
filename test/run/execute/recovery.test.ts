import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {Operation} from '../../../src/kubernetes/lease/operation.ts'
import {labelsOf} from '../../../src/plan/labels.ts'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone')
const operation: Operation = {
  verb: 'upgrade',
  revision: 2,
  run: '20261120-120000-aaaa',
  environment: 'all-in-one',
  deadline: 10_000_000,
  kk: {host: 'host', pid: 1},
}
const left = recordOf(keystone, {status: 'pending-upgrade'})
const recovering = {...actionOf('upgrade', 2), recovers: 'pending-upgrade'}

describe('a release that a dead run left pending', () => {
  test('is marked failed under its Lease, then upgraded', async () => {
    const world = newWorld({record: left, operation, kk: 'gone'})

    const result = await world.execute(recovering, workOf(keystone))

    expect(result).toEqual({revision: 3})
    expect(world.deeds().slice(0, 3)).toEqual([
      'hold openstack/keystone',
      'mark revision 2 failed: kk: left pending-upgrade by run 20261120-120000-aaaa, whose helm is gone',
      'helm upgrade',
    ])
  })

  test.each([
    {case: 'its helm works again', setting: {leftHelm: {state: 'running', process: {pid: 7}}}},
    {case: 'nobody can be seen from here', setting: {kk: 'unseen', leftHelm: {state: 'unseen'}}},
  ] as const)('is not touched if $case', async ({setting}) => {
    const world = newWorld({record: left, operation, ...setting})

    await expect(world.execute(recovering, workOf(keystone))).rejects.toMatchObject({code: 'KK_PENDING'})
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  test('is not touched unless the plan recovers it', async () => {
    const world = newWorld({record: left, operation, kk: 'gone'})

    await expect(world.execute(actionOf('upgrade', 2), workOf(keystone))).rejects.toMatchObject({
      code: 'KK_PENDING',
    })
  })
})

test('a deployed revision whose install hooks were not seen to complete is marked failed, then installed over', async () => {
  const options: unknown[] = []
  const world = newWorld({
    record: recordOf(keystone, {revision: 1, written: 1, gated: undefined}),
    helm: async (succeed, call, given) => {
      options.push(given)
      return succeed(call, given)
    },
  })
  const action = {...actionOf('install', 1), recovers: 'deployed'}

  const result = await world.execute(action, workOf(keystone))

  expect(result).toEqual({revision: 2})
  expect(world.deeds().slice(0, 3)).toEqual([
    'hold openstack/keystone',
    expect.stringMatching(/^mark revision 1 failed: kk: /),
    'helm install',
  ])
  expect(options).toMatchObject([{replace: true}])
})

describe('a deployed release that is only awaited', () => {
  const awaited = recordOf(keystone, {gated: undefined})

  test('loses the Lease and the reservations of the killed run', async () => {
    const world = newWorld({record: awaited, operation, kk: 'gone'})

    await world.execute(actionOf('await', 2), workOf(keystone))

    expect(world.log.slice(0, 5)).toEqual([
      'hold openstack/keystone',
      'withdraw reservations',
      'annotate {"kk.openstack.org/operation":null}',
      'give back',
      'helm ended',
    ])
  })

  test('keeps them if another process holds the Lease, and its health is awaited nevertheless', async () => {
    const hold = async () => {
      throw new KkError('KK_HELD', 'it is held by operator@elsewhere')
    }
    const world = newWorld({
      record: awaited,
      operation,
      cluster: {
        leases: port({hold}),
      },
    })

    await expect(world.execute(actionOf('await', 2), workOf(keystone))).resolves.toEqual({revision: 2})
    expect(world.log).not.toContain('withdraw reservations')
  })
})

test('install replaces the history of an uninstalled release only', async () => {
  const replaced: (boolean | undefined)[] = []
  const world = newWorld({
    record: recordOf(keystone, {status: 'uninstalled'}),
    helm: (succeed, call, options) => {
      replaced.push(options.replace)
      return succeed(call, options)
    },
  })

  await expect(world.execute(actionOf('install', 2), workOf(keystone))).resolves.toEqual({revision: 3})
  expect(replaced).toEqual([true])
  expect(world.deeds()).toContain('helm install')
})

describe('the operation of helm', () => {
  test('is on the Lease before helm starts', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      helm: (succeed, call, options) => {
        expect(world.evidence).toEqual(['begin upgrade to revision 3 of run 20261121-083000-3f9a'])
        options.onStarted?.(4711)
        return succeed(call, options)
      },
    })

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    expect(world.evidence.slice(1)).toEqual(['started 4711'])
  })
})

describe('a failed helm that leaves its revision pending', () => {
  /** Helm makes revision 3, and ends before it can say how. */
  const dying = (more: Parameters<typeof newWorld>[0] = {}) => {
    const world = newWorld({
      record: recordOf(keystone),
      helm: async () => {
        world.record = {
          ...recordOf(keystone, {revision: 3, status: 'pending-upgrade'}),
          labels: labelsOf(keystone, 3),
        }
        throw new KkError('KK_HELM_FAILED', 'helm was killed')
      },
      ...more,
    })
    return world
  }
  const run = (world: ReturnType<typeof newWorld>) =>
    expect(world.execute(actionOf('upgrade', 2), workOf(keystone))).rejects

  test('has it marked failed at once', async () => {
    const world = dying()

    await run(world).toMatchObject({code: 'KK_HELM_FAILED'})
    expect(world.record).toMatchObject({revision: 3, status: 'failed'})
    expect(world.evidence).not.toContain('leave')
  })

  test('keeps the Lease with its evidence if the cluster is unreachable', async () => {
    const markFailed = () => Promise.reject(new KkError('KK_UNREACHABLE', 'no answer'))
    const world = dying({
      cluster: {
        records: port({markFailed}),
      },
    })

    await run(world).toMatchObject({code: 'KK_HELM_FAILED'})
    expect(world.evidence).toContain('leave')
  })

  test('keeps the Lease if only its wrapper has ended', async () => {
    const world = dying({leftHelm: {state: 'running', process: {pid: 7}}})

    await run(world).toMatchObject({code: 'KK_HELM_FAILED'})
    expect(world.record?.status).toBe('pending-upgrade')
    expect(world.evidence).toContain('leave')
  })

  test('does not touch the revision of another process after a race', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      helm: async () => {
        world.record = recordOf(keystone, {revision: 3, status: 'pending-upgrade', written: 2})
        throw new KkError('KK_PENDING', 'another operation on the release has not ended')
      },
    })

    await run(world).toMatchObject({code: 'KK_PENDING'})
    expect(world.record?.status).toBe('pending-upgrade')
    expect(world.deeds().join()).not.toContain('mark revision')
  })
})

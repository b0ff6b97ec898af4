import {once} from 'node:events'
import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {ChangeOptions} from '../../../src/helm/helm.ts'
import type {HookWatchOptions} from '../../../src/kubernetes/gate/health-checks.ts'
import {NO_HOOKS} from '../../../src/kubernetes/gate/watch-hooks.ts'
import type {HeldLease} from '../../../src/kubernetes/lease/leases.ts'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {heldLease} from './held-lease.ts'
import {actionOf, cause, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone', {requires: ['mariadb']})

describe('faults', () => {
  test.each([
    {status: 'pending-upgrade', code: 'KK_PENDING'},
    {status: 'failed', code: 'KK_HELM_FAILED'},
  ])('a record that is $status though helm ended well is $code', async ({status, code}) => {
    const world = newWorld({
      record: recordOf(keystone),
      helm: async (succeed, ...change) => {
        const changed = await succeed(...change)
        world.record = {...world.record!, status}
        return changed
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code})
  })

  test('an object that the cluster would not accept is reported before helm starts', async () => {
    const world = newWorld({
      cluster: {
        dryRuns: port({
          validate: async () => [
            {
              object: 'Service/keystone',
              outcome: 'refused',
              message: 'spec.ports[0].port: Invalid value: 99999999',
            },
            {object: 'Widget/w', outcome: 'known-after-apply', missing: 'kind'},
          ],
        }),
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone, {unvalidated: workOf().objects}))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_INVALID_OBJECT',
      message: expect.stringContaining('Service/keystone: spec.ports[0].port: Invalid value: 99999999'),
    })
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  test('a failed helm is reported with its last lines and the pod that caused it', async () => {
    const world = newWorld({
      cluster: {
        health: port({
          watchHooks: async () => ({
            ...NO_HOOKS,
            blames: async () => [
              cause({
                pod: 'keystone-db-sync-x',
                container: 'sync',
                reason: 'CrashLoopBackOff',
                log: ['no database'],
              }),
            ],
            stop: () => world.log.push('stop watching'),
          }),
        }),
      },
      helm: async () => {
        throw new KkError('KK_HELM_FAILED', 'helm install failed: timed out', {
          hint: 'look',
          log: ['Error: timed out'],
        })
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
      message:
        'helm install failed: timed out; Job/keystone-db-sync: it has not ended; pod keystone-db-sync-x, container sync: CrashLoopBackOff',
      hint: 'look',
      log: ['Error: timed out', 'no database'],
    })
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'helm install', 'stop watching', 'give back'])
  })

  test('a hook that is gone and was not seen to complete fails the release, and its record', async () => {
    const blame = cause({message: 'it was deleted before it had completed'})
    const world = newWorld({
      cluster: {
        health: port({watchHooks: async () => ({...NO_HOOKS, incomplete: async () => [blame]})}),
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_UNHEALTHY',
      message: expect.stringContaining(
        'helm install succeeded, but Job/keystone-db-sync: it was deleted before it had completed',
      ),
    })
    expect(world.log).toContainEqual(expect.stringMatching(/^mark revision 1 failed: kk: .*deleted before/))
    expect(world.log).not.toContainEqual(expect.stringMatching(/^gate/))
  })

  test.each([
    [3, 'is not enough', ['pre-upgrade', 'post-upgrade']],
    [4, 'is enough', undefined],
  ] as const)('helm %i is trusted to have seen completed hooks: %s', async (helmMajor, _, mustShow) => {
    const options: HookWatchOptions[] = []
    const watchHooks = async (given: HookWatchOptions) => {
      options.push(given)
      return NO_HOOKS
    }
    const world = newWorld({
      record: recordOf(keystone),
      helmMajor,
      cluster: {
        health: port({watchHooks}),
      },
    })

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    expect(options.map((given) => given.mustShow)).toEqual([mustShow])
  })

  test('helm is terminated if a hook that it waits for was deleted', async () => {
    const blame = cause({message: 'it was deleted before it had completed', reason: 'NotSeenToComplete'})
    const world = newWorld({
      cluster: {
        live: port({isNamespaceGoing: async () => true}),
        health: port({
          watchHooks: async ({onProgress}) => {
            queueMicrotask(() => onProgress?.([blame]))
            return {...NO_HOOKS, deleted: () => [blame], blames: async () => [blame]}
          },
        }),
      },
      helm: async (_, _call, {signal}) => {
        const ended = once(signal!, 'abort')
        world.pass(6)
        await ended
        throw new KkError('KK_HELM_FAILED', 'helm install was ended')
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
      message: expect.stringMatching(
        /helm install was terminated because it waited in vain; the namespace openstack is being deleted; Job\/keystone-db-sync: it was deleted/,
      ),
    })
  })

  test('an error that helm itself names is reported under that name', async () => {
    const world = newWorld({
      helm: async () => {
        throw new KkError('KK_VALUES', 'the values break the schema')
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_VALUES', message: 'the values break the schema'})
  })

  test('a lease that cannot be released fails nothing', async () => {
    const world = newWorld({
      cluster: {
        leases: port({
          hold: async () =>
            heldLease({
              release: async () => {
                throw new KkError('KK_UNREACHABLE', 'the cluster does not answer')
              },
            }),
        }),
      },
    })

    await expect(world.execute(actionOf('install', 0), workOf(keystone))).resolves.toEqual({revision: 1})
  })
})

/** A helm that ends when its signal is aborted. */
function untilAborted(started: () => void) {
  return (_succeed: unknown, _call: unknown, {signal}: ChangeOptions): Promise<never> => {
    const {promise, reject} = Promise.withResolvers<never>()
    signal!.addEventListener('abort', () =>
      reject(new KkError('KK_INTERRUPTED', 'helm install was terminated')),
    )
    started()
    return promise
  }
}

describe('an event that terminates helm', () => {
  test('is the loss of the lease', async () => {
    const world = newWorld({helm: untilAborted(() => world.leaseLost.abort())})

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_LEASE_LOST',
      message: expect.stringMatching(/helm install was running, and was terminated.*are not undone/),
    })
  })

  test('is the loss of the lease before helm starts', async () => {
    const lost = new KkError('KK_LEASE_LOST', 'the hold was lost')
    const world = newWorld({
      cluster: {
        dryRuns: port({
          async validate() {
            world.leaseLost.abort(lost)
            return []
          },
        }),
      },
    })
    const unvalidated = workOf().objects

    const acting = world.execute(actionOf('install', 0), workOf(keystone, {unvalidated}))

    await expect(acting).rejects.toBe(lost)
    expect(world.log).not.toContain('helm install')
  })

  test('is the deadline', async () => {
    const world = newWorld({helm: untilAborted(() => world.pass(60))})

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
      message: 'openstack/keystone: helm install did not finish within 60 s',
      hint: expect.stringContaining('kk.releases.keystone.timeout'),
    })
  })

  test('is an interruption', async () => {
    const world = newWorld({helm: untilAborted(() => world.abort.abort())})

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_INTERRUPTED',
      message: 'helm install was terminated',
    })
    expect(world.deeds()).toContain('give back')
  })

  test('can be an interruption during the wait for the lease, which is released when acquired', async () => {
    const lease = Promise.withResolvers<HeldLease>()
    const givenBack = Promise.withResolvers<void>()
    const world = newWorld({
      cluster: {
        leases: port({
          hold: () => {
            world.abort.abort(new KkError('KK_INTERRUPTED', 'the run was interrupted'))
            return lease.promise
          },
        }),
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_INTERRUPTED'})
    lease.resolve(heldLease({release: async () => givenBack.resolve()}))
    await givenBack.promise
    expect(world.deeds()).toEqual([])
  })
})

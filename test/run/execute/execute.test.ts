import {describe, expect, test} from 'vitest'
import type {HeldLease, ReleaseRecord} from '../../../src/cluster/cluster.ts'
import {KkError} from '../../../src/errors.ts'
import type {ChangeOptions, ReleaseCall} from '../../../src/helm/helm.ts'
import {GATED_LABEL, labelsOf, usesLabel} from '../../../src/plan/labels.ts'
import {id} from '../../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from '../../plan/fixtures.ts'
import {heldLease} from './held-lease.ts'
import {actionOf, blame, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone', {requires: ['mariadb']})

function later(record: ReleaseRecord, status = 'deployed'): ReleaseRecord {
  return {...record, revision: record.revision + 1, status}
}

describe('install', () => {
  test('holds the lease while helm runs, then passes the gate, then marks the record', async () => {
    const world = newWorld()

    const result = await world.execute(actionOf('install', 0), workOf(keystone))

    expect(result).toEqual({revision: 1})
    expect(world.log).toEqual([
      'lease: taking its lease',
      'hold openstack/keystone',
      'intent on openstack/mariadb',
      'helm: helm install',
      'helm install',
      'withdraw intents',
      'give back',
      'helm ended',
      'gate: waiting for health',
      'gate Deployment/keystone-api',
      'label revision 1: {"kk.openstack.org/gated":"1"}',
    ])
    expect(world.record?.labels).toEqual({...labelsOf(keystone, 1), [GATED_LABEL]: '1'})
  })

  test('gives helm the values, all labels and the time that is left', async () => {
    const seen: [ReleaseCall, ChangeOptions][] = []
    const world = newWorld({
      cluster: {
        validate: async () => {
          world.pass(20)
          return []
        },
      },
      helm: (succeed, call, options) => {
        seen.push([call, options])
        return succeed(call, options)
      },
    })
    const unvalidated = workOf().objects

    await world.execute(actionOf('install', 0), workOf(keystone, {unvalidated}))

    expect(seen).toEqual([
      [
        {
          name: 'keystone',
          namespace: 'openstack',
          chart: 'run/charts/keystone',
          values: {auth: {password: 'correct-horse-battery'}},
        },
        {
          labels: labelsOf(keystone, 1),
          timeoutSeconds: 40,
          createNamespace: true,
          signal: expect.any(AbortSignal),
          onStarted: expect.any(Function),
          env: {KK_OPERATION: '20261121-083000-3f9a/openstack/keystone'},
        },
      ],
    ])
  })
})

describe('upgrade', () => {
  test('takes away the labels that helm would hand down', async () => {
    const before = recordOf(desiredOf('keystone', {requires: ['memcached'], layers: {set: {a: 1}}}))
    const world = newWorld({record: before})

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    expect(world.record?.revision).toBe(3)
    expect(world.record?.labels).toEqual({...labelsOf(keystone, 3), [GATED_LABEL]: '3'})
    expect(world.deeds()).toContain('helm upgrade')
  })

  test('leaves no mark when the gate stays closed', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        gate: async () => {
          throw new KkError('KK_UNHEALTHY', 'Deployment/keystone-api: 0 of 1 replicas are available')
        },
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_UNHEALTHY'})
    expect(world.record?.labels).toEqual(labelsOf(keystone, 3))
    expect(world.deeds()).toContain('give back')
  })
})

describe('somebody else', () => {
  test('who changed the release after the plan is told before helm starts', async () => {
    const world = newWorld({record: later(recordOf(keystone))})

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_RACED',
      message:
        'openstack/keystone: somebody else changed it meanwhile: expected revision 2, as the plan saw, but found revision 3',
    })
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  test.each([
    {what: 'installed it', action: actionOf('install', 0), record: bareRecord(id('keystone'))},
    {what: 'removed it', action: actionOf('upgrade', 2), record: undefined},
  ])('who $what after the plan is told before helm starts', async ({action, record}) => {
    const world = newWorld({record})

    await expect(world.execute(action, workOf(keystone))).rejects.toMatchObject({code: 'KK_RACED'})
    expect(world.deeds()).not.toContain(`helm ${action.kind}`)
  })

  test('whose operation has not ended is told before helm starts', async () => {
    const world = newWorld({record: recordOf(keystone, {status: 'pending-upgrade'})})

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_PENDING'})
    expect(world.deeds()).not.toContain('helm upgrade')
  })

  test('who changed it between the look and helm is told by the revision that helm made', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      helm: (succeed, ...change) => {
        world.record = later(world.record!)
        return succeed(...change)
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_RACED',
      message: expect.stringContaining('helm was to make revision 3, but made 4'),
    })
    expect(world.deeds()).not.toContain('gate Deployment/keystone-api')
  })

  test.each([
    {what: 'changed it', after: (record: ReleaseRecord) => later(record), now: 'revision 4'},
    {what: 'removed it', after: () => undefined, now: 'no release'},
  ])('who $what right after helm is told by the record', async ({after, now}) => {
    const world = newWorld({
      record: recordOf(keystone),
      helm: async (succeed, ...change) => {
        const changed = await succeed(...change)
        world.record = after(world.record!)
        return changed
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_RACED',
      message: expect.stringContaining(`but now there is ${now}`),
    })
  })

  test('who changed it while its gate was awaited is told, and nothing is marked', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        gate: async () => {
          world.record = later(world.record!)
        },
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_RACED'})
    expect(world.deeds().filter((line) => line.startsWith('label'))).toEqual([])
  })

  test('who holds the lease is told, already while it is waited for', async () => {
    const world = newWorld({
      cluster: {
        hold: async (_release, _holder, _deadline, onHeld) => {
          onHeld?.('alice@host')
          throw new KkError('KK_HELD', 'openstack/keystone is held by alice@host')
        },
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_HELD'})
    expect(world.log).toContain('lease: held by alice@host')
    expect(world.deeds()).toEqual([])
  })
})

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

  test('an object that the cluster would not accept is told before helm starts', async () => {
    const world = newWorld({
      cluster: {
        validate: async () => [
          {
            object: 'Service/keystone',
            outcome: 'refused',
            message: 'spec.ports[0].port: Invalid value: 99999999',
          },
          {object: 'Widget/w', outcome: 'known-after-apply', missing: 'kind'},
        ],
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone, {unvalidated: workOf().objects}))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_INVALID_OBJECT',
      message: expect.stringContaining('Service/keystone: spec.ports[0].port: Invalid value: 99999999'),
    })
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  test('a failed helm is told with its last lines and the pod that is to blame', async () => {
    const world = newWorld({
      cluster: {
        watchHooks: async () => ({
          blames: async () => [
            blame({
              pod: 'keystone-db-sync-x',
              container: 'sync',
              reason: 'CrashLoopBackOff',
              log: ['no database'],
            }),
          ],
          stop: () => world.log.push('stop watching'),
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

  test('what helm itself has a name for is told as that', async () => {
    const world = newWorld({
      helm: async () => {
        throw new KkError('KK_VALUES', 'the values break the schema')
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_VALUES', message: 'the values break the schema'})
  })

  test('a lease that cannot be given back fails nothing', async () => {
    const world = newWorld({
      cluster: {
        hold: async () =>
          heldLease({
            release: async () => {
              throw new KkError('KK_UNREACHABLE', 'the cluster does not answer')
            },
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

describe('an end before helm ends', () => {
  test('a lost lease ends helm', async () => {
    const world = newWorld({helm: untilAborted(() => world.leaseLost.abort())})

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_LEASE_LOST',
      message: expect.stringMatching(/helm install ran, and was ended.*is not undone/),
    })
  })

  test('a lease that is lost before helm starts keeps it from starting', async () => {
    const lost = new KkError('KK_LEASE_LOST', 'the hold was lost')
    const world = newWorld({
      cluster: {
        async validate() {
          world.leaseLost.abort(lost)
          return []
        },
      },
    })
    const unvalidated = workOf().objects

    const acting = world.execute(actionOf('install', 0), workOf(keystone, {unvalidated}))

    await expect(acting).rejects.toBe(lost)
    expect(world.log).not.toContain('helm install')
  })

  test('the deadline ends helm', async () => {
    const world = newWorld({helm: untilAborted(() => world.pass(60))})

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
      message: 'openstack/keystone: helm install did not end within 60 s',
      hint: expect.stringContaining('kk.releases.keystone.timeout'),
    })
  })

  test('an interruption ends helm', async () => {
    const world = newWorld({helm: untilAborted(() => world.abort.abort())})

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_INTERRUPTED',
      message: 'helm install was terminated',
    })
    expect(world.deeds()).toContain('give back')
  })

  test('an interruption while the lease is awaited gives it back when it comes', async () => {
    const lease = Promise.withResolvers<HeldLease>()
    const givenBack = Promise.withResolvers<void>()
    const world = newWorld({
      cluster: {
        hold: () => {
          world.abort.abort(new KkError('KK_INTERRUPTED', 'the run was interrupted'))
          return lease.promise
        },
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_INTERRUPTED'})
    lease.resolve(heldLease({release: async () => givenBack.resolve()}))
    await givenBack.promise
    expect(world.deeds()).toEqual([])
  })
})

describe('the objects of a release that others wait for', () => {
  test('let them start while helm still waits for hooks', async () => {
    const applied = Promise.withResolvers<void>()
    const found = [false, false, true]
    const world = newWorld({
      appliedAwaited: true,
      onApplied: applied.resolve,
      cluster: {exist: async () => found.shift()!},
      helm: async (succeed, ...change) => {
        await applied.promise
        return succeed(...change)
      },
    })

    await world.execute(actionOf('install', 0), workOf(keystone))

    expect(found).toEqual([])
    expect(world.deeds().slice(0, 5)).toEqual([
      'hold openstack/keystone',
      'helm install',
      'applied',
      'give back',
      'helm ended',
    ])
  })

  test('are not looked for when nobody waits', async () => {
    const world = newWorld({
      cluster: {
        exist: async () => {
          throw new Error('nobody asked')
        },
      },
      helm: (succeed, ...change) => {
        world.pass(5)
        return succeed(...change)
      },
    })

    await expect(world.execute(actionOf('install', 0), workOf(keystone))).resolves.toEqual({revision: 1})
  })
})

describe('await', () => {
  test('starts no helm and takes no lease', async () => {
    const world = newWorld({record: recordOf(keystone, {gated: undefined})})

    const result = await world.execute(actionOf('await', 2), workOf(keystone))

    expect(result).toEqual({revision: 2})
    expect(world.deeds()).toEqual([
      'helm ended',
      'gate Deployment/keystone-api',
      'label revision 2: {"kk.openstack.org/gated":"2"}',
    ])
  })

  test('notes in the same breath that its dependents are still to be checked', async () => {
    const world = newWorld({record: recordOf(keystone, {gated: undefined})})

    await world.execute({...actionOf('await', 2), rechecks: true}, workOf(keystone))

    expect(world.deeds().at(-1)).toBe(
      'label revision 2: {"kk.openstack.org/gated":"2","kk.openstack.org/dependents-unchecked":"2"}',
    )
  })

  test('is told when somebody else changed the release', async () => {
    const world = newWorld({record: later(recordOf(keystone))})

    await expect(world.execute(actionOf('await', 2))).rejects.toMatchObject({code: 'KK_RACED'})
  })

  test('has nothing to do when somebody else has passed the gate meanwhile', async () => {
    const world = newWorld({record: recordOf(keystone)})

    await world.execute(actionOf('await', 2))

    expect(world.deeds()).toEqual([])
  })
})

describe('check', () => {
  test('marks nothing, for nobody has compared the release with what is wanted', async () => {
    const world = newWorld({record: recordOf(keystone, {gated: undefined})})

    await world.execute(actionOf('check', 2))

    expect(world.deeds().at(-1)).toBe('gate Deployment/keystone-api')
  })

  test('looks at a release even if it bears the mark', async () => {
    const world = newWorld({record: recordOf(keystone)})

    await world.execute(actionOf('check', 2))

    expect(world.deeds()).toEqual(['helm ended', 'gate Deployment/keystone-api'])
  })

  test('of another environment’s release writes nothing, whatever revision it has now', async () => {
    const theirs = recordOf(desiredOf('keystone', {owner: 'infra'}), {revision: 3, gated: undefined})
    const world = newWorld({record: theirs})

    const result = await world.execute(actionOf('check', 2))

    expect(result).toEqual({revision: 3})
    expect(world.deeds()).toEqual(['helm ended', 'gate Deployment/keystone-api'])
  })

  test.each([
    {what: 'is not installed', record: undefined, code: 'KK_NOT_INSTALLED'},
    {what: 'failed', record: recordOf(keystone, {status: 'failed'}), code: 'KK_UNHEALTHY'},
    {what: 'is being changed', record: recordOf(keystone, {status: 'pending-upgrade'}), code: 'KK_PENDING'},
  ])('of a release that $what is $code', async ({record, code}) => {
    const world = newWorld({record})

    await expect(world.execute(actionOf('check', 2))).rejects.toMatchObject({code})
  })
})

describe('relabel', () => {
  test('patches the requirements under the lease, and makes no revision', async () => {
    const world = newWorld({record: recordOf(desiredOf('keystone', {requires: ['memcached']}))})

    const result = await world.execute(actionOf('relabel', 2), workOf(keystone))

    expect(result).toEqual({revision: 2})
    expect(world.record?.labels).toEqual({...labelsOf(keystone, 2), [GATED_LABEL]: '2'})
    expect(world.record?.labels).not.toHaveProperty(usesLabel(id('memcached')))
    expect(world.deeds().map((line) => line.split(' ')[0])).toEqual(['hold', 'label', 'give'])
  })

  test('passes the gate when it was not passed yet', async () => {
    const world = newWorld({record: recordOf(desiredOf('keystone'), {gated: undefined})})

    await world.execute(actionOf('relabel', 2), workOf(keystone))

    expect(world.deeds()).toContain('gate Deployment/keystone-api')
    expect(world.record?.labels[GATED_LABEL]).toBe('2')
  })
})

test('what was not prepared is a bug of kk', async () => {
  await expect(newWorld().execute(actionOf('install', 0))).rejects.toMatchObject({code: 'KK_BUG'})
})

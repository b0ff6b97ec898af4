import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {ChangeOptions, ReleaseCall} from '../../../src/helm/helm.ts'
import {NO_HOOKS} from '../../../src/kubernetes/gate/watch-hooks.ts'
import {parseManifest} from '../../../src/kubernetes/manifest/manifest.ts'
import type {PresentObject} from '../../../src/kubernetes/objects/live-objects.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {GATED_LABEL, INSTALLATION_LABEL, labelsOf, RUN_LABEL, usesLabel} from '../../../src/plan/labels.ts'
import type {Task} from '../../../src/run/task.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld, RUN, workOf} from './world.ts'

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
      'reservation on openstack/mariadb',
      'helm: helm install',
      'helm install',
      'withdraw reservations',
      'give back',
      'helm ended',
      'gate: waiting for health',
      'gate Deployment/keystone-api',
      'label revision 1: {"kk.openstack.org/gated":"1"}',
    ])
    const made = {[INSTALLATION_LABEL]: RUN, [RUN_LABEL]: RUN}
    expect(world.record?.labels).toEqual({...labelsOf(keystone, 1), ...made, [GATED_LABEL]: '1'})
  })

  test('masks secrets of the release, and of others, in the logs of a pod', async () => {
    const said: (string | undefined)[] = []
    const text = 'cannot log in with own-password or others-password'
    const world = newWorld({
      mask: (each) => each.replace('others-password', '***'),
      cluster: {
        health: port({
          gate: async ({redact}) => {
            said.push(redact?.(text))
            return {state: 'healthy'}
          },
          watchHooks: async ({redact}) => {
            said.push(redact?.(text))
            return NO_HOOKS
          },
        }),
      },
    })

    await world.execute(actionOf('install', 0), workOf(keystone, {values: {password: 'own-password'}}))

    const masked = 'cannot log in with *** or ***'
    expect(said).toEqual([masked, masked])
  })

  test('passes the values, all labels and the remaining time to helm', async () => {
    const seen: [ReleaseCall, ChangeOptions][] = []
    const world = newWorld({
      cluster: {
        dryRuns: port({
          validate: async () => {
            world.pass(20)
            return []
          },
        }),
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
          mask: expect.any(Function),
        },
        {
          labels: {...labelsOf(keystone, 1), [INSTALLATION_LABEL]: RUN, [RUN_LABEL]: RUN},
          timeoutSeconds: 40,
          createNamespace: true,
          signal: expect.any(AbortSignal),
          onStarted: expect.any(Function),
          env: {KK_OPERATION: `${RUN}/openstack/keystone`},
        },
      ],
    ])
  })

  test.each([
    ['makes a namespace that is missing', false, ['make namespace openstack']],
    ['makes none that is there, though a binding still lacks its Role', true, []],
  ])('%s', async (_, hasNamespace, made) => {
    const world = newWorld({
      cluster: {
        live: port({hasNamespace: async () => hasNamespace}),
        dryRuns: port({
          validate: async () => [
            {object: 'RoleBinding/keystone', outcome: 'known-after-apply', missing: 'namespace'},
          ],
        }),
      },
    })

    await world.execute(actionOf('install', 0), workOf(keystone, {unvalidated: workOf().objects}))

    expect(world.log.filter((line) => line.startsWith('make namespace'))).toEqual(made)
  })
})

/** Upon a record of an older kk, which names no installation. */
const UPGRADED = {[INSTALLATION_LABEL]: 'uid-keystone', [RUN_LABEL]: RUN}

describe('upgrade', () => {
  test('keeps the installation label', async () => {
    const before = recordOf(keystone)
    const world = newWorld({record: {...before, labels: {...before.labels, [INSTALLATION_LABEL]: 'i1'}}})

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    expect(world.record?.labels).toMatchObject({[INSTALLATION_LABEL]: 'i1', [RUN_LABEL]: RUN})
  })

  test('is refused if the release was installed again, with as many revisions', async () => {
    const world = newWorld({record: recordOf(keystone)})

    const acting = world.execute({...actionOf('upgrade', 2), uid: 'uid-of-the-former'}, workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_RACED',
      message: expect.stringContaining('it was removed and installed again'),
    })
    expect(world.deeds()).not.toContain('helm upgrade')
  })

  test('removes labels that helm would inherit', async () => {
    const before = recordOf(desiredOf('keystone', {requires: ['memcached'], layers: {set: {a: 1}}}))
    const world = newWorld({record: before})

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    expect(world.record?.revision).toBe(3)
    expect(world.record?.labels).toEqual({...labelsOf(keystone, 3), ...UPGRADED, [GATED_LABEL]: '3'})
    expect(world.deeds()).toContain('helm upgrade')
  })

  test('sets no mark if the gate stays closed', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        health: port({
          gate: async () => {
            throw new KkError('KK_UNHEALTHY', 'Deployment/keystone-api: 0 of 1 replicas are available')
          },
        }),
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_UNHEALTHY'})
    expect(world.record?.labels).toEqual({...labelsOf(keystone, 3), ...UPGRADED})
    expect(world.deeds()).toContain('give back')
  })
})

describe('the objects of a release with applied dependents', () => {
  test('let them start while helm still waits for hooks', async () => {
    const applied = Promise.withResolvers<void>()
    const found = [false, false, true]
    const world = newWorld({
      appliedAwaited: true,
      onApplied: applied.resolve,
      cluster: {
        live: port({exist: async () => found.shift()!}),
      },
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

  test('are not polled without such dependents', async () => {
    const world = newWorld({
      cluster: {
        live: port({
          exist: async () => {
            throw new Error('nobody asked')
          },
        }),
      },
      helm: (succeed, ...change) => {
        world.pass(5)
        return succeed(...change)
      },
    })

    await expect(world.execute(actionOf('install', 0), workOf(keystone))).resolves.toEqual({revision: 1})
  })
})

describe('the kinds that a release defines', () => {
  const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dbs.a.org}
spec: {group: a.org, names: {kind: Db}, versions: [{name: v1, served: true}, {name: v0, served: false}]}
`

  test('are served before dependents start', async () => {
    const served = [[], ['a.org/v1'], ['a.org/v1', 'a.org/v1/Db']]
    const world = newWorld({
      cluster: {
        apiServer: port({customKinds: async () => served.shift()!}),
      },
      helm: async (succeed, ...change) => ({...(await succeed(...change)), manifest: definition}),
    })

    await world.execute(actionOf('install', 0), workOf(keystone))

    expect(served).toEqual([])
    expect(world.deeds()).toContain('helm ended')
  })

  test('are not awaited endlessly: a name may be taken', async () => {
    const world = newWorld({
      cluster: {
        apiServer: port({
          customKinds: async () => {
            world.pass(10)
            return []
          },
        }),
      },
      helm: async (succeed, ...change) => ({...(await succeed(...change)), manifest: definition}),
    })

    await expect(world.execute(actionOf('install', 0), workOf(keystone))).resolves.toEqual({revision: 1})
  })

  test('are served before dependents start while helm still waits for hooks', async () => {
    const applied = Promise.withResolvers<void>()
    const served = [[], [], ['a.org/v1', 'a.org/v1/Db']]
    const world = newWorld({
      appliedAwaited: true,
      onApplied: applied.resolve,
      cluster: {
        apiServer: port({customKinds: async () => served.shift()!}),
      },
      helm: async (succeed, ...change) => {
        await applied.promise
        return succeed(...change)
      },
    })
    const objects = parseManifest(definition)

    await world.execute(actionOf('install', 0), workOf(keystone, {objects}))

    expect(served).toEqual([])
  })
})

const GONE = {
  object: 'ConfigMap/settings',
  message: 'is gone, though a hook made it: what uses it does not find it',
}

describe('an object that became a hook', () => {
  const settings = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'settings'}}
  const work = workOf(keystone, {recreated: [settings]})
  const upgraded = async (present: readonly PresentObject[]) => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        live: port({present: async () => present}),
      },
    })
    return (await world.execute(actionOf('upgrade', 2), work)).health
  }

  test('makes its release partial if it is gone afterwards', async () => {
    expect(await upgraded([])).toEqual({state: 'partial', notes: [GONE]})
    expect(await upgraded([{object: settings, isGoing: true, live: {name: 'settings'}}])).toMatchObject({
      state: 'partial',
    })
  })

  test('is not mentioned if helm has re-created it', async () => {
    expect(await upgraded([{object: settings, isGoing: false, live: {name: 'settings'}}])).toBeUndefined()
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

  test('passes as partial if an object of a hook of the revision is gone', async () => {
    const record = recordOf(keystone, {gated: undefined})
    const hook = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {helm.sh/hook: pre-upgrade}}
`
    const stored = {...record, manifest: '', values: {}, hooks: [hook], ranHooks: [hook]}
    const chart = {name: 'keystone', version: '1.0.0', appVersion: ''}
    const world = newWorld({
      record,
      cluster: {
        records: port({stored: async () => ({...stored, chart, applyMethod: undefined})}),
      },
    })

    const {health} = await world.execute(actionOf('await', 2), workOf(keystone))

    expect(health).toEqual({state: 'partial', notes: [GONE]})
  })

  test('notes with the same write that its dependents must still be checked', async () => {
    const world = newWorld({record: recordOf(keystone, {gated: undefined})})

    await world.execute({...actionOf('await', 2), rechecks: true}, workOf(keystone))

    expect(world.deeds().at(-1)).toBe(
      'label revision 2: {"kk.openstack.org/gated":"2","kk.openstack.org/dependents-unchecked":"2"}',
    )
  })

  test('reports that another process changed the release', async () => {
    const world = newWorld({record: later(recordOf(keystone))})

    await expect(world.execute(actionOf('await', 2))).rejects.toMatchObject({code: 'KK_RACED'})
  })

  test('does nothing if another process has passed the gate in the meantime', async () => {
    const world = newWorld({record: recordOf(keystone)})

    await world.execute(actionOf('await', 2))

    expect(world.deeds()).toEqual([])
  })
})

describe('check', () => {
  test('sets no mark because the release was not compared with the desired one', async () => {
    const world = newWorld({record: recordOf(keystone, {gated: undefined})})

    await world.execute(actionOf('check', 2))

    expect(world.deeds().at(-1)).toBe('gate Deployment/keystone-api')
  })

  test('checks a release even if it has the mark', async () => {
    const world = newWorld({record: recordOf(keystone)})

    await world.execute(actionOf('check', 2))

    expect(world.deeds()).toEqual(['helm ended', 'gate Deployment/keystone-api'])
  })

  test("of another environment's release writes nothing, whatever its revision", async () => {
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
  ])('of a release that $what reports $code', async ({record, code}) => {
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

  test('passes the gate if it has not passed yet', async () => {
    const world = newWorld({record: recordOf(desiredOf('keystone'), {gated: undefined})})

    await world.execute(actionOf('relabel', 2), workOf(keystone))

    expect(world.deeds()).toContain('gate Deployment/keystone-api')
    expect(world.record?.labels[GATED_LABEL]).toBe('2')
  })
})

test('the type of execute excludes tasks without inputs', () => {
  const work = {timeoutSeconds: 60}

  // @ts-expect-error: an install needs its chart and its values.
  const task: Task = {kind: 'install', action: actionOf('install', 0), work}

  expect(task.work).not.toHaveProperty('chart')
})

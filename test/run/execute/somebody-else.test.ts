import {once} from 'node:events'
import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {recordChanged} from '../../../src/kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {inputsDigest} from '../../../src/plan/digest.ts'
import {INPUTS_LABEL, OWNER_LABEL, REVISION_LABEL, RUN_LABEL} from '../../../src/plan/labels.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord, desiredOf, recordOf} from '../../plan/fixtures.ts'
import {heldLease} from './held-lease.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone', {requires: ['mariadb']})
const STORED = {
  manifest: '',
  values: {},
  hooks: [],
  chart: {name: 'keystone', version: '0.1.0', appVersion: '', annotations: {}},
  applyMethod: undefined,
}

function later(record: ReleaseRecord, status = 'deployed'): ReleaseRecord {
  return {...record, revision: record.revision + 1, status}
}

describe('another process', () => {
  test('that changed the release after the plan is reported before helm starts', async () => {
    const world = newWorld({record: later(recordOf(keystone))})

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_RACED',
      message:
        'openstack/keystone: another process changed it in the meantime: expected revision 2, as the plan saw, but found revision 3',
    })
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  const equal = (labels: Readonly<Record<string, string>> = {}) => {
    const record = recordOf(keystone, {revision: 3, gated: undefined})
    return {...record, labels: {...record.labels, [RUN_LABEL]: 'r2', ...labels}}
  }

  test('that has made the same revision from the same inputs leaves only the gate to pass', async () => {
    const world = newWorld({record: equal()})
    const action = {...actionOf('upgrade', 2), inputs: inputsDigest(keystone)}

    await expect(world.execute(action, workOf(keystone))).resolves.toEqual({revision: 3})

    expect(world.log).toContain('helm: run r2 has made revision 3 of the same inputs')
    expect(world.deeds()).toEqual([
      'hold openstack/keystone',
      'give back',
      'helm ended',
      'gate Deployment/keystone-api',
      'label revision 3: {"kk.openstack.org/gated":"3"}',
    ])
  })

  test.each([
    {what: 'of other inputs', record: equal({[INPUTS_LABEL]: 'others'})},
    {what: 'for another environment', record: equal({[OWNER_LABEL]: 'another'})},
    {what: 'by plain helm upon it', record: equal({[REVISION_LABEL]: '2'})},
    {what: 'that is not deployed', record: {...equal(), status: 'failed'}},
  ])('that has made a revision $what is reported before helm starts', async ({record}) => {
    const world = newWorld({record})
    const action = {...actionOf('upgrade', 2), inputs: inputsDigest(keystone)}

    await expect(world.execute(action, workOf(keystone))).rejects.toMatchObject({code: 'KK_RACED'})
  })

  test('that marks the same revision at the same moment is no obstacle', async () => {
    const record = recordOf(keystone, {gated: undefined})
    let marks = 0
    const world = newWorld({
      record,
      cluster: {
        records: port({
          label: async (of, labels) => {
            marks += 1
            world.record = {...of, labels: {...of.labels, ...(labels as Record<string, string>)}}
            throw recordChanged(of)
          },
        }),
      },
    })

    await expect(world.execute(actionOf('await', 2))).resolves.toEqual({revision: 2})

    expect(marks).toBe(1)
  })

  test.each([
    {what: 'installed it', action: actionOf('install', 0), record: bareRecord(id('keystone'))},
    {what: 'removed it', action: actionOf('upgrade', 2), record: undefined},
  ])('that $what after the plan is reported before helm starts', async ({action, record}) => {
    const world = newWorld({record})

    await expect(world.execute(action, workOf(keystone))).rejects.toMatchObject({code: 'KK_RACED'})
    expect(world.deeds()).not.toContain(`helm ${action.kind}`)
  })

  test('whose operation has not ended is reported before helm starts', async () => {
    const world = newWorld({record: recordOf(keystone, {status: 'pending-upgrade'})})

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_PENDING'})
    expect(world.deeds()).not.toContain('helm upgrade')
  })

  test('that changed the release between the check and helm is reported by the revision that helm made', async () => {
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
      message: expect.stringContaining('expected revision 3 from helm, but it made 4'),
    })
    expect(world.deeds()).not.toContain('gate Deployment/keystone-api')
  })

  test.each([
    {what: 'changed it', after: (record: ReleaseRecord) => later(record), now: 'revision 4'},
    {what: 'removed it', after: () => undefined, now: 'no release'},
  ])('that $what right after helm is reported by the record', async ({after, now}) => {
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
      message: expect.stringContaining(`from helm, but found ${now}`),
    })
  })

  test('that changed the release during its gate is reported, and nothing is marked', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        health: port({
          gate: async () => {
            world.record = later(world.record!)
            return {state: 'healthy'}
          },
        }),
      },
    })

    const acting = world.execute(actionOf('upgrade', 2), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_RACED'})
    expect(world.deeds().filter((line) => line.startsWith('label'))).toEqual([])
  })

  const namespace = (isGoing: boolean) => [
    {object: {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'openstack'}}, isGoing, live: undefined},
  ]

  test.each([
    {what: 'removed it', found: () => undefined, now: 'it is gone', present: namespace(false)},
    {what: 'replaced it', found: later, now: 'at revision 3', present: namespace(false)},
    {
      what: 'deletes its namespace',
      found: () => undefined,
      now: 'the namespace openstack is being deleted',
      present: namespace(true),
    },
    {
      what: 'deleted its namespace',
      found: () => undefined,
      now: 'the namespace openstack was deleted',
      present: [],
    },
  ])('that $what ends the wait for missing objects', async ({found, now, present}) => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        live: port({present: async () => present}),
        health: port({
          gate: async ({signal, onProgress}) => {
            world.record = found(world.record!)
            onProgress?.([
              {object: 'Deployment/keystone-api', message: 'it does not exist', reason: 'NotFound'},
            ])
            await once(signal!, 'abort')
            throw signal!.reason
          },
        }),
      },
    })

    const acting = world.execute(actionOf('check', 2))

    await expect(acting).rejects.toMatchObject({
      code: 'KK_RACED',
      message: expect.stringContaining(now),
    })
  })

  test('that replaced the revision is reported while its pods are not ready', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        health: port({
          gate: async ({signal}) => {
            world.record = later(world.record!)
            world.pass(15)
            await once(signal!, 'abort')
            throw signal!.reason
          },
        }),
      },
    })

    await expect(world.execute(actionOf('check', 2))).rejects.toMatchObject({
      code: 'KK_RACED',
      message: expect.stringContaining('it is deployed at revision 3 while the gate of revision 2'),
    })
  })

  const unhealthy = new KkError('KK_UNHEALTHY', 'Deployment/keystone-api: 0 of 1 replicas are available')

  test('that replaced the revision is reported if the gate stays closed', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        health: port({
          gate: async () => {
            world.record = later(world.record!)
            throw unhealthy
          },
        }),
      },
    })

    await expect(world.execute(actionOf('upgrade', 2), workOf(keystone))).rejects.toMatchObject({
      code: 'KK_RACED',
    })
  })

  test.each(['KK_UNREACHABLE', 'KK_API_SERVER', 'KK_FORBIDDEN'] as const)(
    'a gate that stays closed reports the cause, even if the record is %s by then',
    async (code) => {
      let reads = 0
      const world = newWorld({
        cluster: {
          records: port({
            last: async () => {
              reads += 1
              throw new KkError(code, 'it does not answer')
            },
            stored: async () => ({...recordOf(keystone), ...STORED}),
          }),
          health: port({
            gate: async () => {
              throw unhealthy
            },
          }),
        },
      })

      await expect(world.execute(actionOf('check', 2))).rejects.toMatchObject({
        code: 'KK_UNHEALTHY',
        message: expect.stringContaining('Deployment/keystone-api: 0 of 1'),
      })
      expect(reads).toBe(1)
    },
  )

  test('whose Lease had expired is reported before helm starts', async () => {
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        leases: port({
          hold: async () => heldLease({takenFrom: 'alice@host, who has not renewed it for 60 s'}),
        }),
      },
    })

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    const line = 'helm: its Lease was taken over from alice@host, who has not renewed it for 60 s'
    expect(world.log).toContain(line)
    expect(world.log.indexOf(line)).toBeLessThan(world.log.indexOf('helm upgrade'))
  })

  test('that held the Lease for long does not shorten the timeout of the release', async () => {
    const deadlines: number[] = []
    const world = newWorld({
      record: recordOf(keystone),
      cluster: {
        leases: port({
          hold: async () => {
            world.pass(60)
            return heldLease({})
          },
        }),
        health: port({
          gate: async ({deadline}) => {
            deadlines.push(deadline - world.now())
            return {state: 'healthy'}
          },
        }),
      },
      helm: (succeed, call, options) => {
        deadlines.push(options.timeoutSeconds * 1000)
        return succeed(call, options)
      },
    })

    await world.execute(actionOf('upgrade', 2), workOf(keystone))

    expect(deadlines).toEqual([60_000, 60_000])
  })

  test('that holds the lease is reported, already during the wait', async () => {
    const world = newWorld({
      cluster: {
        leases: port({
          hold: async (_release, _holder, _deadline, waiting) => {
            waiting?.onHeld?.('alice@host')
            throw new KkError('KK_HELD', 'openstack/keystone is held by alice@host')
          },
        }),
      },
    })

    const acting = world.execute(actionOf('install', 0), workOf(keystone))

    await expect(acting).rejects.toMatchObject({code: 'KK_HELD'})
    expect(world.log).toContain('lease: held by alice@host')
    expect(world.deeds()).toEqual([])
  })
})

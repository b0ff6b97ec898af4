import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import type {RemovalWork} from '../../../src/run/task.ts'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld} from './world.ts'

const record = recordOf(desiredOf('keystone'))
const service = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'keystone'}}

function removalOf(more: Partial<RemovalWork> = {}): RemovalWork {
  return {
    uid: record.secret.uid,
    objects: [service],
    hooks: [],
    values: {},
    claims: [],
    refusal: async () => undefined,
    ignored: new Set(),
    timeoutSeconds: 60,
    onEnded: async () => undefined,
    ...more,
  }
}

type Setting = Parameters<typeof newWorld>[0]

function remove(setting: Setting = {}, more: Partial<RemovalWork> = {}) {
  const world = newWorld({record, ...setting})
  const removing = world.execute(actionOf('remove', 2), removalOf(more))
  return {world, removing}
}

describe('remove', () => {
  test('marks the lease it holds, checks the users of the release, runs helm uninstall, then deletes data', async () => {
    const claim = {namespace: 'openstack', name: 'data-keystone-0', uid: 'c', labels: {}}
    const ended: unknown[] = []

    const {world, removing} = remove({}, {claims: [claim], onEnded: async (left) => void ended.push(left)})

    expect(await removing).toEqual({revision: 0})
    expect(world.log).toEqual([
      'lease: taking its lease',
      'hold openstack/keystone',
      'annotate {"kk.openstack.org/removing":"operator@host"}',
      'helm: helm uninstall',
      'helm uninstall',
      'delete claim data-keystone-0',
      'withdraw reservations',
      'give back',
    ])
    expect(ended).toEqual([[]])
  })

  test('waits for objects that are being deleted, and reports those that remain', async () => {
    const answers = [true, true, false].map((isGoing) => [{object: service, isGoing, live: undefined}])
    const ended: unknown[] = []

    const {removing} = remove(
      {
        cluster: {
          live: port({present: async () => answers.shift() ?? []}),
        },
      },
      {onEnded: async (left) => void ended.push(left)},
    )

    await removing
    expect(ended).toEqual([[{object: service, isGoing: false, live: undefined}]])
  })
})

describe('the data of a release in other services', () => {
  const thing = {kind: 'database', name: 'keystone', at: 'mariadb'}
  const metadata = {name: 'keystone-cleanup', namespace: 'openstack'}
  const cleanup = {cronJob: {apiVersion: 'batch/v1', kind: 'CronJob', metadata}, deleted: [thing]}

  test('is removed by a Job of its CronJob if the release is unused, before helm uninstalls it', async () => {
    const {world, removing} = remove({}, {cleanup})

    expect(await removing).toEqual({revision: 0})
    expect(world.deeds()).toEqual([
      'hold openstack/keystone',
      'annotate {"kk.openstack.org/removing":"operator@host"}',
      `create keystone-cleanup-3f9a of keystone-cleanup with ${JSON.stringify({CLEANUP: JSON.stringify([thing])})}`,
      'gate Job/keystone-cleanup-3f9a',
      'deleted database keystone',
      'helm uninstall',
      'give back',
    ])
  })

  test('keeps the release if its removal fails', async () => {
    const failure = new KkError('KK_UNHEALTHY', 'Job/keystone-cleanup-3f9a: 1 pod failed', {
      log: ['no route'],
    })
    const gate = async () => {
      throw failure
    }

    const {world, removing} = remove(
      {
        cluster: {
          health: port({gate}),
        },
      },
      {cleanup},
    )

    await expect(removing).rejects.toMatchObject({
      code: 'KK_CLEANUP',
      message: expect.stringContaining('1 pod failed'),
      log: ['no route'],
    })
    expect(world.log).not.toContain('helm uninstall')
    expect(world.log).toContain('annotate {"kk.openstack.org/removing":null}')
  })

  test('is not touched if the release is used', async () => {
    const refusal = async () => new KkError('KK_HAS_DEPENDENTS', 'in use')

    const {world, removing} = remove({}, {cleanup, refusal})

    await expect(removing).rejects.toMatchObject({code: 'KK_HAS_DEPENDENTS'})
    expect(world.log.filter((line) => line.startsWith('create'))).toEqual([])
  })
})

describe('a removal keeps the release and its lease', () => {
  const later: ReleaseRecord = {...record, revision: 3}
  const anew: ReleaseRecord = {...record, secret: {...record.secret, uid: 'another'}}
  const reservation = {
    name: 'kk-intent-x',
    required: 'openstack/keystone',
    dependent: 'openstack/glance',
    operator: 'grace@host',
    deadline: 2_000_000,
  } as const
  const on = (deadline: number) => ({
    declare: async () => undefined,
    withdraw: async () => undefined,
    deletionMarker: async () => undefined,
    on: async () => [{...reservation, deadline}],
  })

  test.each<[string, Setting, Partial<RemovalWork>, string, RegExp]>([
    [
      'while something uses it',
      {},
      {refusal: async () => new KkError('KK_HAS_DEPENDENTS', 'glance requires it')},
      'KK_HAS_DEPENDENTS',
      /glance requires it/,
    ],
    [
      'while something that requires it is being installed',
      {cluster: {reservations: on(2_000_000)}},
      {},
      'KK_HAS_DEPENDENTS',
      /openstack\/glance, by grace@host, until 1970/,
    ],
    [
      'when such a reservation is overdue, for nobody knows whether its run is dead',
      {cluster: {reservations: on(1)}},
      {},
      'KK_HAS_DEPENDENTS',
      /overdue since 1970/,
    ],
    ['when it was upgraded in the meantime', {record: later}, {}, 'KK_RACED', /found 3/],
    ['when it was re-installed', {record: anew}, {}, 'KK_RACED', /installed again/],
    ['when it is gone', {record: undefined}, {}, 'KK_RACED', /no longer exists/],
    [
      'when another operation works on it',
      {record: {...record, status: 'pending-upgrade'}},
      {},
      'KK_PENDING',
      /pending-upgrade/,
    ],
  ])('%s', async (_, setting, more, code, message) => {
    const {world, removing} = remove(setting, more)

    await expect(removing).rejects.toMatchObject({code, message: expect.stringMatching(message)})
    expect(world.log).not.toContain('helm uninstall')
    expect(world.log.slice(-2)).toEqual(['annotate {"kk.openstack.org/removing":null}', 'give back'])
  })

  test('unless the reservation was excused by name', async () => {
    const {world, removing} = remove(
      {cluster: {reservations: on(1)}},
      {ignored: new Set(['kk-system/kk-intent-x'])},
    )

    await removing
    expect(world.log).toContain('helm uninstall')
  })
})

test('remove finishes an interrupted removal', async () => {
  const {world, removing} = remove({record: {...record, status: 'uninstalling'}})

  await removing
  expect(world.log).toContain('helm uninstall')
})

test('remove reports a record that helm could not delete, and keeps data', async () => {
  const claim = {namespace: 'openstack', name: 'data-keystone-0', uid: 'c', labels: {}}

  const {world, removing} = remove(
    {
      cluster: {
        records: port({last: async () => record}),
      },
    },
    {claims: [claim]},
  )

  await expect(removing).rejects.toMatchObject({
    code: 'KK_HELM_FAILED',
    message: expect.stringContaining('the record of revision 2 still exists'),
  })
  expect(world.log).not.toContain('delete claim data-keystone-0')
})

test('remove stops at an interruption before helm starts; a later one lets helm finish and keeps data', async () => {
  const {world, removing} = remove(
    {
      cluster: {
        live: port({
          async present() {
            world.abort.abort(new KkError('KK_INTERRUPTED', 'the run was interrupted'))
            return []
          },
        }),
      },
    },
    {claims: [{namespace: 'openstack', name: 'data-keystone-0', uid: 'c', labels: {}}]},
  )
  const early = newWorld({record})
  early.abort.abort(new KkError('KK_INTERRUPTED', 'the run was interrupted'))

  await expect(early.execute(actionOf('remove', 2), removalOf())).rejects.toMatchObject({
    code: 'KK_INTERRUPTED',
  })
  await expect(removing).rejects.toMatchObject({code: 'KK_INTERRUPTED'})
  expect(world.log).toContain('helm uninstall')
  expect(world.log).not.toContain('delete claim data-keystone-0')
  expect(early.log).not.toContain('helm uninstall')
})

import {describe, expect, it} from 'vitest'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld} from './world.ts'

const keystone = desiredOf('keystone')
const record = recordOf(keystone, {revision: 3})

describe('helm test', () => {
  it('runs under the lease, and makes no revision', async () => {
    const world = newWorld({record})

    const result = await world.execute(actionOf('test', 3))

    expect(result).toEqual({revision: 3})
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'helm test', 'give back'])
    expect(world.journal[0]).toMatchObject({type: 'helm-starting', verb: 'test', revision: 3})
    expect(world.evidence[0]).toContain('begin test to revision 3')
  })

  const tempest = `apiVersion: v1
kind: Pod
metadata: {name: tempest-test, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: test}]}
`
  const said = ['TAP version 14', '1..2', 'ok 1 - lists dev-secret', 'not ok 2 - deletes']

  it.each([
    ['passed', async () => undefined],
    ['failed', async () => Promise.reject(new Error('helm test failed'))],
  ])('that %s reports each result that its pod logs, without secrets', async (_, test) => {
    const world = newWorld({
      record,
      hooks: [tempest],
      test,
      mask: (text) => text.replace('dev-secret', '***'),
      cluster: {
        health: port({
          log: async (...of) => (of.join('/') === 'openstack/tempest-test/test' ? said : []),
        }),
      },
    })

    await world.execute(actionOf('test', 3)).catch(() => undefined)

    expect(world.deeds()).toEqual(expect.arrayContaining(['lists *** passed', 'deletes failed', 'give back']))
  })

  const user = tempest
    .replace('tempest-test', 'user-test')
    .replace('{helm.sh/hook: test}', '{helm.sh/hook: test, kk.openstack.org/test: user}')

  it('of a release omits its tests of the whole cloud', async () => {
    const world = newWorld({record, hooks: [tempest, user]})

    await world.execute(actionOf('test', 3))

    expect(world.filters).toEqual([{name: 'keystone', except: ['user-test']}])
  })

  it('of the whole cloud runs only these hooks, under the lease of their release', async () => {
    const world = newWorld({record, hooks: [tempest, user]})
    const action = {
      ...actionOf('test', 3),
      release: 'openstack/keystone:user',
      userTestOf: 'openstack/keystone',
    } as const

    await world.execute(action)

    expect(world.filters).toEqual([{name: 'keystone', only: ['user-test']}])
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'helm test', 'give back'])
  })

  it.each([
    ['another revision than the plan saw', {revision: 4}, 'KK_RACED'],
    ['an operation that has not ended', {revision: 3, status: 'pending-upgrade'}, 'KK_PENDING'],
    ['a revision that failed', {revision: 3, status: 'failed'}, 'KK_UNHEALTHY'],
  ])('is not started on %s', async (_, found, code) => {
    const world = newWorld({record: recordOf(keystone, found)})

    await expect(world.execute(actionOf('test', 3))).rejects.toMatchObject({code})

    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  it('reports that another process changed the release: helm has overwritten the record', async () => {
    const world = newWorld({
      record,
      test: async () => {
        world.record = recordOf(keystone, {revision: 4})
      },
    })

    await expect(world.execute(actionOf('test', 3))).rejects.toMatchObject({code: 'KK_RACED'})
  })
})

import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {newApplyCache} from '../../src/operator/apply-cache.ts'
import type {EnvironmentState} from '../../src/operator/condition-inputs.ts'
import type {Condition, ConditionInput} from '../../src/operator/crds/conditions.ts'
import {
  ENVIRONMENTS,
  type EnvironmentObject,
  type EnvironmentStatus,
} from '../../src/operator/crds/environment.ts'
import {RELEASES} from '../../src/operator/crds/release.ts'
import {newStatusWriter} from '../../src/operator/status-writer.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {planOf} from '../run/plan-of.ts'
import {plannedOf} from './planned-of.ts'

const MINUTE = 60_000
const START = Date.parse('2026-11-25T12:00:00Z')
const planned = plannedOf(planOf({keystone: []}, {keystone: 'unchanged'}))
const error = new KkError('KK_UNREACHABLE', 'the cluster of context "north" does not answer')
const healthy: ReleaseStatus = {
  ...{
    release: 'openstack/keystone',
    chart: 'keystone',
    version: '1',
    revision: 1,
    status: 'deployed',
    gate: 'passed',
  },
  ...{inputs: 'current', wanted: true, health: {state: 'healthy'}, owner: 'production'},
  ...{requires: [], dependents: []},
}
const DEPLOYED: EnvironmentState = {kind: 'deployed', planned, releases: [healthy], source: 's'}
const AWAY: EnvironmentState = {kind: 'unreachable', error}
const ROW = 'production.openstack.keystone'

const reach = (status: 'True' | 'False'): ConditionInput => ({
  ...{type: 'Reachable', status, reason: status === 'True' ? 'Answers' : error.code},
  message: status,
})

/** What is told of an Environment after so many minutes each. */
function telling() {
  const world = {writes: 0}
  const apply = async () => {
    world.writes++
    return {metadata: {generation: 1}}
  }
  const environments = newApplyCache({apply}, ENVIRONMENTS)
  const releases = newApplyCache({apply}, RELEASES)
  const conditions = (status: object | undefined) =>
    Object.fromEntries(
      ((status as EnvironmentStatus).conditions ?? []).map(({type, status, reason}: Condition) => [
        type,
        `${status} ${reason}`,
      ]),
    )
  return {
    world,
    async tell(phase: EnvironmentState, minutes: number, generation = 1) {
      const environment: EnvironmentObject = {
        metadata: {name: 'production', generation},
        spec: {source: {configMap: 'production'}, cluster: {kubeconfigSecret: 'north'}},
      }
      const teller = newStatusWriter(environment, {
        ...{environments, releases},
        events: {record: () => undefined},
        uids: new Map([[ROW, 'u']]),
        reachable: () => reach(phase === AWAY ? 'False' : 'True'),
        onError: (problem) => {
          throw problem
        },
        clock: () => START + minutes * MINUTE,
      })
      await teller.write(phase)
      const status = environments.status('production') as EnvironmentStatus
      return {...conditions(status), steady: status.steady?.since}
    },
    row: () => conditions(releases.status(ROW)),
  }
}

it('conditions stay for ten minutes while the cluster does not answer', async () => {
  const {tell, row, world} = telling()
  const since = '2026-11-25T12:00:00Z'

  const ready = await tell(DEPLOYED, 0)
  const lost = await tell(AWAY, 5)
  const before = world.writes
  const still = await tell(AWAY, 14)
  const between = {writes: world.writes, row: row()}
  const unknown = await tell(AWAY, 15)
  const then = row()
  const back = await tell(DEPLOYED, 20)

  expect(ready).toMatchObject({Ready: 'True Healthy', Reachable: 'True Answers', steady: since})
  expect(lost).toMatchObject({Ready: 'True Healthy', Reachable: 'False KK_UNREACHABLE', steady: since})
  expect(still).toEqual(lost)
  expect(between).toEqual({writes: before, row: {Ready: 'True Healthy'}})
  expect(unknown).toMatchObject({Ready: 'Unknown KK_UNREACHABLE', Reachable: 'False KK_UNREACHABLE'})
  expect(then).toEqual({Ready: 'Unknown KK_UNREACHABLE'})
  expect(back).toMatchObject({Ready: 'True Healthy', Reachable: 'True Answers'})
  expect([unknown.steady, back.steady]).toEqual([undefined, '2026-11-25T12:20:00Z'])
  expect(row()).toEqual({Ready: 'True Healthy'})
})

it('conditions of another generation become Unknown while the cluster does not answer', async () => {
  const {tell} = telling()
  await tell(DEPLOYED, 0)

  expect(await tell(AWAY, 1, 2)).toMatchObject({Ready: 'Unknown KK_UNREACHABLE'})
})

it('conditions are Unknown if the cluster has never answered', async () => {
  expect(await telling().tell(AWAY, 0)).toMatchObject({
    Ready: 'Unknown KK_UNREACHABLE',
    Reachable: 'False KK_UNREACHABLE',
  })
})

it('a change of the inputs restarts the ready period of an Environment', async () => {
  const {tell} = telling()
  await tell(DEPLOYED, 0)

  const other = await tell({...DEPLOYED, source: 'other'} as EnvironmentState, 3)
  const running = await tell({kind: 'held', planned, failure: 'x', releases: [healthy]}, 4)
  const again = await tell(DEPLOYED, 6)

  expect([other.steady, running.steady, again.steady]).toEqual([
    '2026-11-25T12:03:00Z',
    undefined,
    '2026-11-25T12:06:00Z',
  ])
})

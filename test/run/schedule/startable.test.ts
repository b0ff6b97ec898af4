import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {Plan} from '../../../src/plan/plan.ts'
import {makeSchedule, runsHelm, type StartCondition} from '../../../src/run/schedule/schedule.ts'
import {skippedBy, startable} from '../../../src/run/schedule/startable.ts'
import {type ActionState, newStates} from '../../../src/run/schedule/states.ts'
import {id, names} from '../../graph/graph-of.ts'
import {arbitraryPlan, awaited, planOf} from '../plan-of.ts'

const KINDS = {mariadb: 'test', keystone: 'test', nova: 'test', user: 'test'} as const

interface Situation {
  readonly plan: Plan
  readonly states?: Readonly<Record<string, ActionState>>
  readonly limit?: number
  readonly startCondition?: StartCondition
}

function startableNames({plan, states = {}, limit = 8, startCondition}: Situation): readonly string[] {
  const schedule = makeSchedule(plan.actions, startCondition)
  const known = new Map(Object.entries(states).map(([name, state]) => [id(name), state]))
  return names(startable(schedule, newStates(schedule, known), limit).map(({release}) => release))
}

describe('requirements', () => {
  const plan = planOf({mariadb: [], keystone: ['mariadb'], nova: ['neutron:applied'], neutron: []})

  test.each<{states: Record<string, ActionState>; result: string[]}>([
    {states: {}, result: ['mariadb', 'neutron']},
    {states: {mariadb: 'running'}, result: ['neutron']},
    {states: {mariadb: 'gating'}, result: ['neutron']},
    {states: {mariadb: 'succeeded'}, result: ['neutron', 'keystone']},
    {states: {mariadb: 'failed'}, result: ['neutron']},
    {states: {mariadb: 'running', neutron: 'running'}, result: []},
    {states: {mariadb: 'running', neutron: 'applied'}, result: ['nova']},
    {states: {mariadb: 'running', neutron: 'gating'}, result: ['nova']},
    {states: {mariadb: 'running', neutron: 'succeeded'}, result: ['nova']},
    {states: {mariadb: 'running', neutron: 'failed'}, result: []},
    {states: {mariadb: 'unhealthy', neutron: 'unhealthy'}, result: ['nova']},
  ])('with $states, $result may start', ({states, result}) => {
    expect(startableNames({plan, states})).toEqual(result)
  })
})

describe('an action that follows others whatever their results', () => {
  const own = planOf({mariadb: [], keystone: [], nova: ['mariadb'], user: ['keystone']}, KINDS)
  const actions = own.actions.map((action) =>
    action.release === id('user') ? {...action, follows: [id('mariadb'), id('nova')]} : action,
  )
  const plan: Plan = {...own, actions}

  test.each<{states: Record<string, ActionState>; result: string[]}>([
    {states: {keystone: 'succeeded', mariadb: 'running'}, result: []},
    {states: {keystone: 'succeeded', mariadb: 'succeeded', nova: 'running'}, result: []},
    {states: {keystone: 'succeeded', mariadb: 'succeeded', nova: 'succeeded'}, result: ['user']},
    {states: {keystone: 'succeeded', mariadb: 'succeeded', nova: 'failed'}, result: ['user']},
    {states: {keystone: 'succeeded', mariadb: 'failed', nova: 'skipped'}, result: ['user']},
    {states: {keystone: 'failed', mariadb: 'succeeded', nova: 'succeeded'}, result: []},
  ])('with $states, $result may start', ({states, result}) => {
    expect(startableNames({plan, states})).toEqual(result)
  })

  test.each([
    {failed: 'mariadb', skipped: ['nova']},
    {failed: 'nova', skipped: []},
    {failed: 'keystone', skipped: ['user']},
  ])('a failure of $failed skips $skipped', ({failed, skipped}) => {
    const schedule = makeSchedule(plan.actions)
    const states = newStates(schedule)
    states.move(id(failed), 'failed')

    expect(names(skippedBy(schedule, states, id(failed)).map(({release}) => release))).toEqual(skipped)
  })
})

describe('urgency', () => {
  test('starts the longest remaining path first, then the order of the plan', () => {
    const plan = planOf({
      memcached: [],
      rabbitmq: [],
      mariadb: [],
      keystone: ['mariadb'],
      glance: ['keystone', 'rabbitmq'],
      horizon: ['keystone', 'memcached'],
    })

    expect(startableNames({plan})).toEqual(['mariadb', 'memcached', 'rabbitmq'])
    expect(startableNames({plan, limit: 1})).toEqual(['mariadb'])
  })

  test('ignores actions without work', () => {
    const plan = planOf({a: [], b: ['a'], c: ['b'], x: [], y: ['x']}, {b: 'unchanged', c: 'unchanged'})

    expect(startableNames({plan})).toEqual(['x', 'a'])
  })
})

describe('the limit of slots', () => {
  test('counts running helms, not awaited gates', () => {
    const plan = planOf({a: [], b: [], c: [], d: []})

    expect(startableNames({plan, states: {a: 'running', b: 'gating'}, limit: 2})).toEqual(['c'])
    expect(startableNames({plan, states: {a: 'running', b: 'applied'}, limit: 2})).toEqual([])
  })

  test('does not delay actions without helm', () => {
    const plan = planOf({a: [], b: [], c: [], d: []}, {b: 'await', c: 'check', d: 'unchanged'})

    expect(startableNames({plan, states: {a: 'running'}, limit: 1})).toEqual(['b', 'c', 'd'])
  })

  test('counts gates, too, with the start condition gate', () => {
    const plan = planOf({a: [], b: [], c: [], d: [], e: []}, {b: 'await', e: 'check'})
    const names = (states: Readonly<Record<string, ActionState>>, limit: number) =>
      startableNames({plan, states, limit, startCondition: 'gate'})

    expect(names({a: 'gating'}, 1)).toEqual(['e'])
    expect(names({b: 'gating'}, 1)).toEqual(['e'])
    expect(names({a: 'gating', e: 'running'}, 2)).toEqual(['b'])
    expect(names({a: 'succeeded', b: 'unhealthy', e: 'running'}, 1)).toEqual(['c'])
  })

  test('does not divide a group, which needs one free slot', () => {
    const plan = planOf({nova: ['neutron:applied'], neutron: ['nova:applied'], other: []})

    expect(startableNames({plan, limit: 1})).toEqual(['nova', 'neutron'])
    expect(startableNames({plan, states: {other: 'running'}, limit: 1})).toEqual([])
  })
})

test('startable delays a group until the requirements of all its members are met', () => {
  const plan = planOf({nova: ['neutron:applied', 'glance'], neutron: ['nova:applied'], glance: []})

  expect(startableNames({plan})).toEqual(['glance'])
  expect(startableNames({plan, states: {glance: 'succeeded'}})).toEqual(['nova', 'neutron'])
})

test('startable returns the rest of a group that was interrupted half way', () => {
  const plan = planOf({nova: ['neutron:applied'], neutron: ['nova:applied']})

  expect(startableNames({plan, states: {nova: 'succeeded'}})).toEqual(['neutron'])
})

test('startable returns from its counters what a scan of all states returns', () => {
  const walk = fc.record({
    plan: arbitraryPlan(),
    limit: fc.integer({min: 1, max: 4}),
    steps: fc.array(fc.record({pick: fc.nat(), fails: fc.integer({min: 0, max: 9})}), {maxLength: 60}),
  })

  fc.assert(
    fc.property(walk, ({plan, limit, steps}) => {
      const schedule = makeSchedule(plan.actions)
      const states = newStates(schedule)

      for (const {pick, fails} of steps) {
        const found = startable(schedule, states, limit)
        expect(found.map(({release}) => release).toSorted()).toEqual(
          byLooking(plan, states.of, limit, found.length),
        )
        const moves = [
          ...found.map(({release}) => [release, 'running'] as const),
          ...[...states.of].flatMap(([release, state]) => {
            const next = NEXT[state]
            const failed = state === 'running' ? 'failed' : 'unhealthy'
            return next ? [[release, fails === 0 ? failed : next] as const] : []
          }),
        ]
        if (moves.length === 0) break
        const [release, to] = moves[pick % moves.length]!
        const together = to === 'running' ? schedule.units[schedule.unitOf.get(release)!]!.actions : []
        if (together.length === 0) states.move(release, to)
        for (const member of together) states.move(member.release, to)
      }
    }),
  )
})

const NEXT: Partial<Record<ActionState, ActionState>> = {
  running: 'applied',
  applied: 'gating',
  gating: 'succeeded',
}

/** The definition, by brute force: all that is unblocked, cut off where the slots end; sorted by name. */
function byLooking(
  {actions}: Plan,
  states: ReadonlyMap<string, ActionState>,
  limit: number,
  count: number,
): readonly string[] {
  const met = ({release, kind}: Plan['actions'][number]['requires'][number]) => {
    const state = states.get(release)!
    return state === 'succeeded' || (kind === 'applied' && ['applied', 'gating', 'unhealthy'].includes(state))
  }
  const unblocked = actions.filter(({group}) =>
    actions
      .filter((member) => group.includes(member.release))
      .every((member) => states.get(member.release) === 'waiting' && awaited(member).every(met)),
  )
  const running = actions.filter(
    ({release, kind}) => runsHelm(kind) && ['running', 'applied'].includes(states.get(release)!),
  )
  const withHelm = ({group}: Plan['actions'][number]) =>
    actions.some((member) => group.includes(member.release) && runsHelm(member.kind))
  const remaining = (action: Plan['actions'][number]): number => longestRemaining(actions, action)
  const order = unblocked.toSorted(
    (a, b) => remaining(b) - remaining(a) || head(actions, a) - head(actions, b),
  )

  let free = limit - running.length
  const chosen = new Set<string>()
  for (const action of order) {
    if (chosen.has(action.release)) continue
    if (withHelm(action) && free <= 0) continue
    for (const member of actions.filter(({release}) => action.group.includes(release))) {
      chosen.add(member.release)
      if (runsHelm(member.kind)) free -= 1
    }
  }
  expect(chosen.size).toBe(count)
  return [...chosen].toSorted()
}

function head(actions: Plan['actions'], action: Plan['actions'][number]): number {
  return actions.findIndex(({release}) => release === action.group[0])
}

function longestRemaining(actions: Plan['actions'], action: Plan['actions'][number]): number {
  const members = actions.filter(({release}) => action.group.includes(release))
  const own = members.some(({kind}) => runsHelm(kind) || kind === 'await') ? 1 : 0
  const dependents = actions.filter((other) =>
    awaited(other).some(({release}) => action.group.includes(release)),
  )
  return own + Math.max(0, ...dependents.map((dependent) => longestRemaining(actions, dependent)))
}

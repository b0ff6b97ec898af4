import {describe, expect, test} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {ActionKind} from '../../src/plan/plan.ts'
import {newInterruption} from '../../src/run/interruption.ts'
import {byHand, collected, listen, type Requires, runOf, story} from './run-of.ts'

describe('an interruption', () => {
  const requires = {mariadb: [], keystone: ['mariadb'], rabbitmq: []}

  test('lets running actions finish, and starts nothing more', async () => {
    const hand = byHand()
    const interruption = newInterruption()
    const {until, ended} = listen(runOf(requires, {perform: hand.perform, interruption}))
    await until('started rabbitmq')

    interruption.interrupt()
    await until('run-interrupting')
    expect(hand.started.get('mariadb')!.signal.aborted).toBe(false)
    hand.started.get('mariadb')!.end()
    hand.started.get('rabbitmq')!.end()

    const events = await ended
    expect(story(events)).toEqual([
      'started mariadb',
      'started rabbitmq',
      'skipped keystone (interrupted)',
      'succeeded mariadb',
      'succeeded rabbitmq',
    ])
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'run-interrupting',
        running: ['openstack/mariadb', 'openstack/rabbitmq'],
      }),
    )
    expect(events.at(-1)).toMatchObject({outcome: 'interrupted', succeeded: 2, skipped: 1})
  })

  test('aborts running actions the second time', async () => {
    const hand = byHand()
    const interruption = newInterruption()
    const {until, ended} = listen(runOf({mariadb: []}, {perform: hand.perform, interruption}))
    await until('started mariadb')
    const {signal, fail} = hand.started.get('mariadb')!
    signal.addEventListener('abort', () => fail(new KkError('KK_INTERRUPTED', 'helm was terminated')))

    interruption.interrupt()
    interruption.interrupt()

    const events = await ended
    expect(story(events)).toEqual(['started mariadb', 'failed mariadb'])
    expect(events.at(-1)).toMatchObject({outcome: 'interrupted', failed: 1})
  })

  test('before the start changes nothing', async () => {
    const hand = byHand()
    const interruption = newInterruption()
    interruption.interrupt()

    const events = await collected(runOf(requires, {perform: hand.perform, interruption}))

    expect(hand.names()).toEqual([])
    expect(events.at(-1)).toMatchObject({outcome: 'interrupted', skipped: 3})
  })
})

test('a run frees a slot when helm has ended, while the gate is awaited', async () => {
  const hand = byHand()
  const {until, ended} = listen(runOf({a: [], b: [], c: []}, {perform: hand.perform, concurrency: 1}))
  await until('started a')
  expect(hand.names()).toEqual(['a'])

  hand.started.get('a')!.onHelmEnded()
  await until('started b')

  expect(hand.names()).toEqual(['a', 'b'])
  hand.started.get('a')!.end()
  hand.started.get('b')!.end()
  await until('started c')
  hand.started.get('c')!.end()
  await ended
})

test('a run starts dependents by applied edges while helm still waits for hooks, unlike by ready edges', async () => {
  const hand = byHand()
  const {until, ended} = listen(
    runOf({neutron: [], nova: ['neutron:applied'], octavia: ['neutron']}, {perform: hand.perform}),
  )
  await until('started neutron')
  expect(hand.started.get('neutron')!.appliedAwaited).toBe(true)

  hand.started.get('neutron')!.onApplied()
  await until('started nova')

  expect(hand.names()).toEqual(['neutron', 'nova'])
  expect(hand.started.get('nova')!.appliedAwaited).toBe(false)
  hand.started.get('neutron')!.end()
  await until('started octavia')
  hand.started.get('nova')!.end()
  hand.started.get('octavia')!.end()
  await ended
})

test('a run does not exhaust the stack for a chain of 5,000 unchanged releases', async () => {
  const requires: Requires = Object.fromEntries(
    Array.from({length: 5000}, (_, n) => [`r${n}`, n === 0 ? [] : [`r${n - 1}`]]),
  )
  const kinds: Record<string, ActionKind> = Object.fromEntries(
    Object.keys(requires).map((name) => [name, 'unchanged']),
  )

  const events = await collected(runOf(requires, {kinds}))

  expect(events.at(-1)).toMatchObject({outcome: 'succeeded', unchanged: 5000})
})

test('a run is aborted if its consumer stops iterating', async () => {
  const hand = byHand()
  let aborted = false
  for await (const event of runOf({a: []}, {perform: hand.perform})) {
    if (event.type !== 'release-started') continue
    const {signal, end} = hand.started.get('a')!
    signal.addEventListener('abort', () => {
      aborted = true
      end()
    })
    break
  }

  expect(aborted).toBe(true)
})

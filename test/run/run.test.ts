import {describe, expect, test} from 'vitest'
import {KkError} from '../../src/errors.ts'
import type {Action, ActionKind} from '../../src/plan/plan.ts'
import {releaseName} from '../../src/release.ts'
import type {RunEvent} from '../../src/run/events.ts'
import {newInterruption} from '../../src/run/interruption.ts'
import type {Controls, Perform} from '../../src/run/perform.ts'
import {run} from '../../src/run/run.ts'
import type {RunOptions} from '../../src/run/run-options.ts'
import {planOf} from './plan-of.ts'

type Requires = Readonly<Record<string, readonly string[]>>

interface Setting extends Partial<Omit<RunOptions, 'plan'>> {
  readonly kinds?: Readonly<Record<string, ActionKind>>
}

function runOf(requires: Requires, {kinds, ...options}: Setting = {}) {
  let time = 0
  return run({
    run: 'r1',
    plan: planOf(requires, kinds),
    perform: async ({revision}) => ({revision: revision + 1}),
    concurrency: 8,
    now: () => (time += 1000),
    ...options,
  })
}

async function collected(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const result: RunEvent[] = []
  for await (const event of events) result.push(event)
  return result
}

/** `succeeded keystone`, `skipped glance (failed: mariadb)`, …; without the start and the end of the run. */
function story(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => {
    if (!('release' in event)) return []
    const line = `${event.type.slice('release-'.length)} ${releaseName(event.release)}`
    if (event.type !== 'release-skipped') return [line]
    return [`${line} (${event.reason}${event.because ? `: ${releaseName(event.because)}` : ''})`]
  })
}

const failing =
  (...failed: string[]): Perform =>
  async ({release, revision}) => {
    if (failed.includes(releaseName(release)))
      throw new KkError('KK_HELM_FAILED', `helm failed on ${release}`)
    return {revision: revision + 1}
  }

/** A performer whose work ends when the test says so. */
function byHand() {
  const started = new Map<string, Controls & {end: () => void; fail: (error: Error) => void}>()
  const perform: Perform = (action: Action, controls: Controls) => {
    const {promise, resolve, reject} = Promise.withResolvers<{revision: number}>()
    started.set(releaseName(action.release), {...controls, end: () => resolve({revision: 1}), fail: reject})
    return promise
  }
  return {perform, started, names: () => [...started.keys()]}
}

/** Reads the events in the background, and lets the test wait for one. */
function listen(events: AsyncGenerator<RunEvent>) {
  const seen: RunEvent[] = []
  const waiting: {matches: (event: RunEvent) => boolean; resolve: () => void}[] = []
  const ended = (async () => {
    for await (const event of events) {
      seen.push(event)
      for (const {matches, resolve} of waiting) if (matches(event)) resolve()
    }
    return seen
  })()
  const until = (line: string): Promise<void> => {
    const matches = (event: RunEvent) => event.type === line || story([event])[0] === line
    const {promise, resolve} = Promise.withResolvers<void>()
    if (seen.some(matches)) resolve()
    else waiting.push({matches, resolve})
    return promise
  }
  return {until, ended}
}

test('a run tells all that happens, in order', async () => {
  const perform: Perform = async ({revision}, {onProgress}) => {
    onProgress('helm', 'helm upgrade')
    return {revision: revision + 1}
  }

  const events = await collected(
    runOf(
      {mariadb: [], keystone: ['mariadb']},
      {perform, kinds: {mariadb: 'unchanged', keystone: 'upgrade'}},
    ),
  )

  expect(events).toEqual([
    {
      type: 'run-started',
      at: 1000,
      run: 'r1',
      environment: 'all-in-one',
      context: 'sandbox',
      actions: [
        {release: 'openstack/mariadb', kind: 'unchanged', requires: []},
        {release: 'openstack/keystone', kind: 'upgrade', requires: ['openstack/mariadb']},
      ],
    },
    {
      type: 'release-succeeded',
      at: expect.any(Number),
      release: 'openstack/mariadb',
      kind: 'unchanged',
      revision: 3,
      seconds: expect.any(Number),
    },
    {type: 'release-started', at: expect.any(Number), release: 'openstack/keystone', kind: 'upgrade'},
    {
      type: 'release-progressed',
      at: expect.any(Number),
      release: 'openstack/keystone',
      phase: 'helm',
      message: 'helm upgrade',
    },
    {
      type: 'release-succeeded',
      at: expect.any(Number),
      release: 'openstack/keystone',
      kind: 'upgrade',
      revision: 4,
      seconds: expect.any(Number),
    },
    {
      type: 'run-finished',
      at: expect.any(Number),
      outcome: 'succeeded',
      seconds: expect.any(Number),
      succeeded: 1,
      failed: 0,
      skipped: 0,
      unchanged: 1,
    },
  ])
})

test('an unchanged release is not performed', async () => {
  const hand = byHand()

  const events = await collected(
    runOf({a: [], b: ['a']}, {perform: hand.perform, kinds: {a: 'unchanged', b: 'unchanged'}}),
  )

  expect(hand.names()).toEqual([])
  expect(story(events)).toEqual(['succeeded a', 'succeeded b'])
})

describe('a failure', () => {
  const requires = {
    mariadb: [],
    rabbitmq: [],
    keystone: ['mariadb'],
    glance: ['keystone', 'rabbitmq'],
    horizon: ['keystone'],
    heat: ['rabbitmq'],
  }

  test('skips its dependents, which name it, and nothing else', async () => {
    const events = await collected(runOf(requires, {perform: failing('keystone')}))

    expect(story(events).filter((line) => !line.startsWith('started'))).toEqual([
      'succeeded mariadb',
      'succeeded rabbitmq',
      'failed keystone',
      'skipped glance (failed: keystone)',
      'skipped horizon (failed: keystone)',
      'succeeded heat',
    ])
    expect(events.at(-1)).toMatchObject({outcome: 'failed', succeeded: 3, failed: 1, skipped: 2})
  })

  test('is the reason for those that depend on it through others, too', async () => {
    const events = await collected(runOf(requires, {perform: failing('mariadb')}))

    expect(story(events)).toContain('skipped keystone (failed: mariadb)')
    expect(story(events)).toContain('skipped glance (skipped: mariadb)')
  })

  test('ends the run with fail-fast, when what runs has ended', async () => {
    const hand = byHand()
    const {until, ended} = listen(runOf(requires, {perform: hand.perform, failFast: true}))
    await until('started rabbitmq')

    hand.started.get('mariadb')!.fail(new KkError('KK_HELM_FAILED', 'helm failed'))
    await until('skipped heat (fail-fast: mariadb)')
    hand.started.get('rabbitmq')!.end()

    expect(story(await ended)).toEqual([
      'started mariadb',
      'started rabbitmq',
      'failed mariadb',
      'skipped keystone (failed: mariadb)',
      'skipped glance (skipped: mariadb)',
      'skipped horizon (skipped: mariadb)',
      'skipped heat (fail-fast: mariadb)',
      'succeeded rabbitmq',
    ])
  })

  test('by the loss of a Lease starts nothing more', async () => {
    const perform: Perform = async () => {
      throw new KkError('KK_LEASE_LOST', 'the hold on openstack/a was lost')
    }

    const events = await collected(runOf({a: [], b: []}, {perform, concurrency: 1}))

    expect(story(events)).toEqual(['started a', 'failed a', 'skipped b (lease-lost: a)'])
  })

  test('is told with its code, hint and last lines', async () => {
    const perform: Perform = async () => {
      throw new KkError('KK_HELM_FAILED', 'helm failed', {hint: 'look', log: ['line 1']})
    }

    const events = await collected(runOf({a: []}, {perform}))

    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'release-failed',
        error: {code: 'KK_HELM_FAILED', message: 'helm failed', hint: 'look', log: ['line 1']},
      }),
    )
  })

  test('of kk itself is KK_BUG', async () => {
    const perform: Perform = () => {
      throw new TypeError('undefined is not a function')
    }

    const events = await collected(runOf({a: []}, {perform}))

    expect(events).toContainEqual(
      expect.objectContaining({type: 'release-failed', error: expect.objectContaining({code: 'KK_BUG'})}),
    )
  })
})

describe('an interruption', () => {
  const requires = {mariadb: [], keystone: ['mariadb'], rabbitmq: []}

  test('lets what runs finish, and starts nothing more', async () => {
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

  test('the second one aborts what runs', async () => {
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

  test('before the start leaves everything as it is', async () => {
    const hand = byHand()
    const interruption = newInterruption()
    interruption.interrupt()

    const events = await collected(runOf(requires, {perform: hand.perform, interruption}))

    expect(hand.names()).toEqual([])
    expect(events.at(-1)).toMatchObject({outcome: 'interrupted', skipped: 3})
  })
})

test('a slot is free again when helm has ended, while the gate is awaited', async () => {
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

test('an applied edge is met while helm still waits for hooks; a ready edge is not', async () => {
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

test('a chain of 5,000 releases that have nothing to do exhausts no stack', async () => {
  const requires: Requires = Object.fromEntries(
    Array.from({length: 5000}, (_, n) => [`r${n}`, n === 0 ? [] : [`r${n - 1}`]]),
  )
  const kinds: Record<string, ActionKind> = Object.fromEntries(
    Object.keys(requires).map((name) => [name, 'unchanged']),
  )

  const events = await collected(runOf(requires, {kinds}))

  expect(events.at(-1)).toMatchObject({outcome: 'succeeded', unchanged: 5000})
})

test('whoever stops listening aborts what runs', async () => {
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

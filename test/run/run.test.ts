import {describe, expect, test} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {Perform} from '../../src/run/task.ts'
import {byHand, collected, failing, listen, runOf, story} from './run-of.ts'

test('a run emits all events in order', async () => {
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

test('a run does not perform unchanged releases', async () => {
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

  test('is the reason for indirect dependents, too', async () => {
    const events = await collected(runOf(requires, {perform: failing('mariadb')}))

    expect(story(events)).toContain('skipped keystone (failed: mariadb)')
    expect(story(events)).toContain('skipped glance (skipped: mariadb)')
  })

  test('ends the run with fail-fast, when running actions have ended', async () => {
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

  test('is reported with its code, hint and last lines', async () => {
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

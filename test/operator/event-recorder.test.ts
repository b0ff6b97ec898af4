import {expect, it} from 'vitest'
import {newEventRecorder} from '../../src/operator/event-recorder.ts'

const PRODUCTION = {kind: 'Environment', name: 'production', uid: 'u'}
const FAILED = {type: 'Warning', reason: 'Failed', message: 'openstack/keystone has failed'} as const

/** Events with all that they have written, at a time that the test sets. */
function writing() {
  const written: {count: number; metadata: {name: string}; reason: string}[] = []
  const time = {now: 1_000_000}
  const apply = async (_: unknown, object: unknown) => {
    written.push(object as (typeof written)[0])
    return {metadata: {}}
  }
  const onError = () => undefined
  return {written, time, events: newEventRecorder({apply}, {instance: 'operator a', onError}, () => time.now)}
}

it('an Event is written immediately, and its repetitions once a minute with their count', () => {
  const {events, written, time} = writing()

  events.record(PRODUCTION, FAILED)
  time.now += 1_000
  events.record(PRODUCTION, FAILED)
  time.now += 60_000
  events.record(PRODUCTION, FAILED)

  expect(written.map(({count}) => count)).toEqual([1, 3])
  expect(new Set(written.map(({metadata}) => metadata.name)).size).toBe(1)
})

it('Events with different reasons or objects are separate', () => {
  const {events, written} = writing()

  events.record(PRODUCTION, FAILED)
  events.record(PRODUCTION, {...FAILED, reason: 'Unhealthy'})
  events.record({...PRODUCTION, name: 'staging'}, FAILED)

  expect(new Set(written.map(({metadata}) => metadata.name)).size).toBe(3)
})

it('a refused Event does not fail the reconciliation', async () => {
  const errors: unknown[] = []
  const refused = new Error('forbidden')
  const events = newEventRecorder(
    {apply: () => Promise.reject(refused)},
    {instance: 'operator a', onError: (error) => errors.push(error)},
  )

  events.record(PRODUCTION, FAILED)
  await Promise.resolve()
  await Promise.resolve()

  expect(errors).toEqual([refused])
})

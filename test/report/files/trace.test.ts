import {expect, it} from 'vitest'
import {traceReport} from '../../../src/report/files/trace.ts'
import {brokenRun, goodRun} from '../support/all-in-one.ts'
import {brokenOff, failing, stateOf} from './support/state-of.ts'

interface Event {
  readonly name: string
  readonly ph: string
  readonly tid: number
  readonly ts: number
  readonly dur: number
  readonly cat?: string
  readonly args?: Readonly<Record<string, unknown>>
}

function eventsOf(...[state]: Parameters<typeof traceReport>): readonly Event[] {
  return JSON.parse(traceReport(state)).traceEvents
}

/** `row: name, from to`, in seconds, of the bars of a trace. */
function bars(events: readonly Event[]): readonly string[] {
  const rows = new Map(
    events.filter(({name}) => name === 'thread_name').map(({tid, args}) => [tid, args?.name]),
  )
  return events
    .filter(({ph}) => ph === 'X')
    .map(({name, tid, ts, dur}) => `${rows.get(tid)}: ${name}, ${ts / 1e6} to ${(ts + dur) / 1e6}`)
}

it('the trace has a row with a bar for each release, which contains its phases', () => {
  expect(bars(eventsOf(stateOf(goodRun())))).toEqual([
    'mariadb: mariadb: installed, revision 1, 0 to 12',
    'mariadb: helm, 0.5 to 2',
    'mariadb: gate, 2 to 12',
    'memcached: memcached: installed, revision 1, 0 to 4',
    'memcached: helm, 0.5 to 4',
    'rabbitmq: rabbitmq: installed, revision 1, 0 to 9',
    'rabbitmq: helm, 0.5 to 9',
    'keystone: keystone: installed, revision 1, 12 to 31',
    'keystone: gate, 14 to 31',
    'glance: glance: installed, revision 1, 31 to 47',
    'glance: helm, 32 to 47',
    'horizon: horizon: installed, revision 1, 31 to 43',
    'horizon: gate, 34 to 43',
  ])
})

it('the trace has an arrow from the last awaited requirement of a release to its start', () => {
  const arrows = eventsOf(stateOf(goodRun())).filter(({ph}) => ph === 's' || ph === 'f')

  expect(arrows.map(({ph, tid, ts}) => [ph, tid, ts])).toEqual([
    ['s', 1, 11_999_999],
    ['f', 4, 12_000_000],
    ['s', 4, 30_999_999],
    ['f', 5, 31_000_000],
    ['s', 4, 30_999_999],
    ['f', 6, 31_000_000],
  ])
})

it('the trace has the error of a failure, and the reason and time of a skip', () => {
  const events = eventsOf(stateOf(brokenRun()))

  expect(events.find(({cat}) => cat === 'failed')).toMatchObject({
    name: 'keystone: failed: KK_UNHEALTHY',
    args: {error: 'KK_UNHEALTHY', message: expect.stringContaining('CrashLoopBackOff')},
  })
  expect(events.filter(({ph}) => ph === 'i').map(({name, ts}) => [name, ts])).toEqual([
    ['skipped because keystone failed', 40_000_000],
    ['skipped because keystone failed', 40_000_000],
  ])
})

it('the trace extends a bar without an end to the last event, and marks the interruption', () => {
  const events = eventsOf(stateOf(brokenOff()))

  expect(bars(events)).toEqual(['mariadb: mariadb: not known to have ended, 0 to 3', 'mariadb: helm, 1 to 3'])
  expect(events).toContainEqual(expect.objectContaining({name: 'interrupted', ph: 'i', s: 'g', ts: 3e6}))
})

it('the trace is valid JSON for any text', () => {
  expect(() => eventsOf(stateOf(failing('"\\\u0000\ud800</script>')))).not.toThrow()
})

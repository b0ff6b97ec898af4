import {describe, expect, it} from 'vitest'
import type {ReleaseId} from '../../../src/release.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {followClusterRun, newEventMerger} from '../../../src/verbs/in-cluster/follow-run.ts'
import {logData, logIn, type RunLog, withEvent} from '../../../src/verbs/in-cluster/run-log.ts'

const [DB, API] = ['ns/db', 'ns/api'] as [ReleaseId, ReleaseId]

let clock = 0
const started = (run: string, kind: 'install' | 'check' = 'install'): RunEvent => ({
  ...{type: 'run-started', at: ++clock, run, environment: 'lab', context: 'c'},
  actions: [
    {release: DB, kind, requires: []},
    {release: API, kind: 'install', requires: [DB]},
  ],
})
const begins = (release: ReleaseId): RunEvent => ({
  type: 'release-started',
  at: ++clock,
  release,
  kind: 'install',
})
const ends = (release: ReleaseId, kind: 'install' | 'check' | 'unchanged' = 'install'): RunEvent => ({
  ...{type: 'release-succeeded', at: ++clock, release, kind, revision: 1, seconds: 1},
})
const progressed = (release: ReleaseId, message: string): RunEvent => ({
  ...{type: 'release-progressed', at: ++clock, release, phase: 'gate', message},
})
const finished = (outcome: 'succeeded' | 'interrupted', succeeded: number): RunEvent => ({
  ...{type: 'run-finished', at: ++clock, outcome, seconds: 1},
  ...{succeeded, failed: 0, skipped: 0, unchanged: 0},
})

const logOf = (events: readonly RunEvent[]) => events.reduce(withEvent, {events: []} as RunLog)
const lines = (events: Iterable<RunEvent>) =>
  [...events].map((event) =>
    [event.type, 'kind' in event ? event.kind : '', 'message' in event ? event.message : ''].join(' ').trim(),
  )

describe('the logs of several pods', () => {
  it('are merged into one run: results that a pod could not write are found by the next pod', () => {
    const telling = newEventMerger()
    const first = [started('r1'), begins(DB)]
    const second = [
      ...first,
      started('r2', 'check'),
      ends(DB, 'check'),
      begins(API),
      ends(API),
      finished('succeeded', 2),
    ]

    const told = [...lines(telling.events(logOf(first))), ...lines(telling.events(logOf(second)))]

    expect(told).toEqual([
      'run-started',
      'release-started install',
      'run-warned  another pod continues, as run r2',
      'release-succeeded install',
      'release-started install',
      'release-succeeded install',
      'run-finished',
    ])
    expect(lines(telling.events(logOf(second)))).toEqual([])
  })

  it('omit the termination of a pod, and the releases skipped because of it', () => {
    const telling = newEventMerger()
    const skipped: RunEvent = {
      type: 'release-skipped',
      at: ++clock,
      release: API,
      because: DB,
      reason: 'interrupted',
    }

    const told = lines(
      telling.events(
        logOf([
          started('r1'),
          {type: 'run-interrupting', at: ++clock, running: []},
          skipped,
          finished('interrupted', 0),
        ]),
      ),
    )

    expect(told).toEqual(['run-started', 'run-warned  the pod is terminating: another one continues'])
  })

  it('end the run if the last pod found everything done', () => {
    const telling = newEventMerger()
    const before = [...telling.events(logOf([started('r1'), begins(DB), ends(DB)]))]

    const rest = [...telling.rest({exit: 0})]

    expect(before).toHaveLength(3)
    expect(lines(rest)).toEqual(['release-succeeded unchanged', 'run-finished'])
    expect(rest.at(-1)).toMatchObject({outcome: 'succeeded', succeeded: 1, unchanged: 1})
  })
})

it('a run whose pod ended without output of kk has not succeeded', async () => {
  const job = {...JOB, status: {conditions: [{type: 'Complete', status: 'True'}]}}
  const objects = {
    follow: ({kind}: {kind: string}) => collectionOf(() => (kind === 'Job' ? [job] : [])),
    read: async () => undefined,
  } as unknown as Parameters<typeof followClusterRun>[0]['objects']
  const following = followClusterRun({objects}, {id: 'r1', namespace: 'ns'}, new AbortController().signal)

  const said: RunEvent[] = []
  for await (const event of following.events) said.push(event)

  expect(said).toEqual([])
  expect(following.end()).toMatchObject({exit: 1, error: {code: 'KK_RUN_FAILED'}})
})

describe('a run whose pod cannot start', () => {
  it('reports the reason, and once the command to abandon it', async () => {
    const waiting = [{reason: 'ErrImagePull'}, {reason: 'ImagePullBackOff', message: 'no such image'}]
    const stop = new AbortController()
    const pods = collectionOf(() => [podThatWaits(waiting[0]!)])
    const objects = {
      follow: ({kind}: {kind: string}) =>
        kind === 'Job' ? collectionOf(() => [JOB]) : kind === 'Pod' ? pods : collectionOf(() => []),
    } as unknown as Parameters<typeof followClusterRun>[0]['objects']
    const said: string[] = []

    const place = {id: 'r1', namespace: 'kk-system'}
    for await (const event of followClusterRun({objects}, place, stop.signal).events) {
      said.push(...lines([event]))
      if (said.length === 2) {
        waiting.shift()
        pods.ring()
      }
      if (said.length === 3) stop.abort()
    }

    expect(said).toEqual([
      'run-warned  the pod kk-run-r1-x waits: ErrImagePull',
      'run-warned  Ctrl-C only stops following the run; to abandon it: kubectl delete job kk-run-r1 --namespace kk-system',
      'run-warned  the pod kk-run-r1-x waits: ImagePullBackOff: no such image',
    ])
  })
})

const JOB = {metadata: {name: 'kk-run-r1'}}
const podThatWaits = (waiting: object) => ({
  metadata: {name: 'kk-run-r1-x', labels: {'kk.openstack.org/run': 'r1'}},
  status: {containerStatuses: [{name: 'run', state: {waiting}}]},
})

/** What a cluster has of a kind; `ring` tells that it has changed. */
function collectionOf(all: () => readonly {readonly metadata: {readonly name: string}}[]) {
  const listeners: (() => void)[] = []
  return {
    all,
    get: (name: string) => all().find(({metadata}) => metadata.name === name),
    subscribe: (listener: () => void) => void listeners.push(listener),
    problem: () => undefined,
    isListed: () => true,
    ring: () => {
      for (const each of listeners) each()
    },
  }
}

describe('the log of a run', () => {
  it('keeps the last event of each phase of a release', () => {
    const {events} = logOf([
      started('r1'),
      progressed(DB, 'one'),
      progressed(API, 'other'),
      progressed(DB, 'two'),
    ])

    expect(events.map(([number]) => number)).toEqual([1, 3, 4])
  })

  it('is read as it was written, without progress events if it would be too large', () => {
    const log = logOf([started('r1'), progressed(DB, 'a few words'), ends(DB)])
    const large = logOf([started('r1'), progressed(DB, 'x'.repeat(1_000_000)), ends(DB)])

    expect(logIn({data: logData(log)})).toEqual(log)
    expect(logIn({data: logData(large)}).events.map(([number]) => number)).toEqual([1, 3])
    expect(logIn(undefined)).toEqual({events: []})
  })
})

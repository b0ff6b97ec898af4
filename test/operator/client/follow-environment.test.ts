import {expect, it} from 'vitest'
import type {Cluster} from '../../../src/kubernetes/cluster.ts'
import type {Collection} from '../../../src/kubernetes/watch/collection.ts'
import {followEnvironment} from '../../../src/operator/client/follow-environment.ts'
import type {Condition} from '../../../src/operator/crds/conditions.ts'
import {ENVIRONMENTS} from '../../../src/operator/crds/environment.ts'
import {inputsDigest} from '../../../src/operator/source.ts'
import type {RunEvent} from '../../../src/run/events.ts'

const ready = (status: Condition['status'], reason: string, message = reason): Condition => ({
  ...{type: 'Ready', status, reason, message},
  ...{lastTransitionTime: '2026-11-25T08:00:00Z', observedGeneration: 1},
})
const stalled = (reason: string): Condition => ({...ready('True', reason), type: 'Stalled'})

/** What its ConfigMap holds, and the digest by which the operator says that it has read that. */
const SOURCE = {file: 'api: {}', overrides: undefined}
const MEANT = inputsDigest(SOURCE, undefined)

function environment(conditions: readonly Condition[], inputs = MEANT) {
  const plan = {digest: 'd', actions: ['upgrade openstack/db', 'upgrade openstack/api']}
  return {
    metadata: {name: 'production', generation: 1},
    spec: {source: {configMap: 'production'}},
    status: {observedGeneration: 1, inputs, run: 'r1', plan, conditions},
  }
}

function row(name: string, condition: Condition, revision = 1) {
  const metadata = {
    name: `production.openstack.${name}`,
    generation: 1,
    labels: {'kk.openstack.org/environment': 'production'},
  }
  const requires = name === 'api' ? [{namespace: 'openstack', name: 'db', kind: 'ready'}] : []
  const spec = {release: {namespace: 'openstack', name}, action: 'upgrade', requires}
  return {metadata, spec, status: {revision, conditions: [condition]}}
}

type Row = ReturnType<typeof row>
interface Seen {
  readonly environment: ReturnType<typeof environment>
  readonly rows: readonly Row[]
  /** What a list returns, where the watch is behind. */
  readonly listed?: readonly Row[]
}

/** Follows an Environment through what is seen of it, one after the other. */
async function followed(...steps: readonly Seen[]) {
  let at = 0
  const listeners = new Set<() => void>()
  const step = () => steps[at]!
  const next = () => {
    if (at < steps.length - 1) at += 1
    for (const listener of listeners) listener()
  }
  const collection = (all: () => readonly unknown[]) =>
    ({
      isListed: () => true,
      problem: () => undefined,
      get: () => all()[0],
      all,
      subscribe: (listener: () => void) => listeners.add(listener),
    }) as unknown as Collection
  const cluster = {
    leases: {read: async () => undefined, now: () => 0},
    objects: {
      follow: ({kind}: {kind: string}) =>
        kind === ENVIRONMENTS.kind ? collection(() => [step().environment]) : collection(() => step().rows),
      list: async () => step().listed ?? step().rows,
      read: async ({kind}: {kind: string}) =>
        kind === ENVIRONMENTS.kind ? step().environment : {data: {'environment.yaml': SOURCE.file}},
    },
  } as unknown as Cluster
  const options = {name: 'production', context: 'c'}
  const {events, end} = followEnvironment(cluster, options, new AbortController().signal)
  const told: RunEvent[] = []
  const moving = setInterval(next, 5)
  for await (const event of events) told.push(event)
  clearInterval(moving)
  return {told: told.filter(({type}) => type !== 'run-warned'), end: end()}
}

const waiting = ready('False', 'Waiting')
const running = ready('False', 'Running', 'helm helm upgrade')
const healthy = ready('True', 'Healthy')
const atWork = environment([ready('False', 'Running')])
const both = (db: Condition, api: Condition, revision?: number) => [
  row('db', db, revision),
  row('api', api, revision),
]

const texts = (events: readonly RunEvent[]) =>
  events.map((event) => {
    const release = 'release' in event ? ` ${event.release.split('/')[1]}` : ''
    return `${event.type}${release}${event.type === 'release-succeeded' ? ` ${event.revision}` : ''}`
  })

it('translates the Releases into a run, also if their watch lags behind the end', async () => {
  const {told, end} = await followed(
    // Of inputs before those that are meant.
    {environment: environment([healthy], 'i0'), rows: both(healthy, healthy)},
    {environment: atWork, rows: both(waiting, waiting)},
    {environment: atWork, rows: both(running, waiting)},
    {
      environment: environment([healthy]),
      rows: both(running, waiting),
      listed: both(healthy, healthy, 2),
    },
  )

  expect(texts(told)).toEqual([
    'run-started',
    'release-started db',
    'release-progressed db',
    'release-succeeded db 2',
    'release-succeeded api 2',
    'run-finished',
  ])
  expect(told[2]).toMatchObject({phase: 'helm', message: 'helm upgrade'})
  expect(told.at(-1)).toMatchObject({outcome: 'succeeded', succeeded: 2})
  expect(end?.kind).toBe('done')
})

it('names the run in progress, not the previous one', async () => {
  const begun = {...atWork, status: {...atWork.status, run: undefined}}
  const known = {...atWork, status: {...atWork.status, run: 'r2'}}

  const {told} = await followed(
    {environment: begun as unknown as typeof atWork, rows: both(waiting, waiting)},
    {environment: known, rows: both(running, waiting)},
    {
      environment: {...environment([healthy]), status: {...known.status, conditions: [healthy]}},
      rows: both(healthy, healthy, 2),
    },
  )

  expect(told[0]).toMatchObject({type: 'run-started', run: 'r2'})
})

it('reports failed releases, and releases skipped because of them', async () => {
  const {told, end} = await followed(
    {environment: atWork, rows: both(running, waiting)},
    {
      environment: atWork,
      rows: both(
        ready('False', 'KK_UNHEALTHY'),
        ready('False', 'Skipped', 'not begun: openstack/db has failed'),
      ),
    },
    {
      environment: environment([ready('False', 'Failed'), stalled('Failed')]),
      rows: both(ready('False', 'Unhealthy'), ready('False', 'Outdated')),
    },
  )

  expect(texts(told).slice(-3)).toEqual(['release-failed db', 'release-skipped api', 'run-finished'])
  expect(told.at(-3)).toMatchObject({error: {code: 'KK_UNHEALTHY'}})
  expect(told.at(-2)).toMatchObject({because: 'openstack/db', reason: 'failed'})
  expect(end?.kind).toBe('failed')
})

it.each([
  ['a plan that waits for approval', [ready('False', 'WaitingForApproval')], 'unapproved'],
  ['a pause', [ready('Unknown', 'Suspended')], 'paused'],
  ['inputs that allow no plan', [ready('False', 'KK_YAML'), stalled('KK_YAML')], 'failed'],
])('ends at %s', async (_, conditions, kind) => {
  const {end} = await followed({environment: environment(conditions), rows: []})

  expect(end?.kind).toBe(kind)
})

const unapproved = environment([ready('False', 'WaitingForApproval')])

it('reports no run if none has started', async () => {
  const {told} = await followed({environment: unapproved, rows: both(waiting, waiting)})

  expect(texts(told)).toEqual([])
})

it('reports a run that stops for approval as interrupted, not as failed', async () => {
  const {told} = await followed(
    {environment: atWork, rows: both(running, waiting)},
    {environment: unapproved, rows: both(healthy, waiting)},
  )

  expect(texts(told).slice(-3)).toEqual(['release-succeeded db 1', 'release-skipped api', 'run-finished'])
  expect(told.at(-2)).toMatchObject({reason: 'interrupted'})
  expect(told.at(-1)).toMatchObject({outcome: 'interrupted'})
})

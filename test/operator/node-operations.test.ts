import {setTimeout as wait} from 'node:timers/promises'
import {expect, it, onTestFinished} from 'vitest'
import {type ErrorCode, KkError} from '../../src/base/errors.ts'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import type {Observed} from '../../src/kubernetes/gate/kinds/observed.ts'
import {OWN_OPERATOR} from '../../src/kubernetes/lease/driver.ts'
import type {Objects} from '../../src/kubernetes/objects/objects.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import type {NodeOperationObject, NodeOperationStatus} from '../../src/operator/crds/node-operation.ts'
import {openNodeOperations} from '../../src/operator/node-operations.ts'

const ENVIRONMENT = {
  metadata: {name: 'production', uid: 'e'},
  spec: {source: {configMap: 'production'}},
} as EnvironmentObject

interface Write {
  readonly name: string
  readonly uid: string
  readonly status: NodeOperationStatus
}

/** NodeOperations in a cluster that answers the opening of the environment with this error. */
function start(given: {readonly code: ErrorCode; readonly refuses?: (write: Write) => boolean}) {
  const operations = new Map<string, NodeOperationObject>()
  const listeners = new Set<(changed: Observed | undefined) => void>()
  const notify = () => {
    for (const listener of listeners) listener(undefined)
  }
  const writes: Write[] = []
  const opened: number[] = []
  const events: object[] = []
  const objects = {
    follow: () => ({
      all: () => [...operations.values()],
      get: (name: string) => operations.get(name),
      subscribe: (listener: () => void) => listeners.add(listener),
    }),
    read: async () => ({data: {'environment.yaml': ''}}),
    async apply(_: unknown, {metadata: {name, uid}, status}: {metadata: Write; status: Write['status']}) {
      const write = {name, uid, status}
      if (given.refuses?.(write)) throw new KkError('KK_API_SERVER', 'no answer')
      writes.push(write)
      const there = operations.get(name)!
      if (there.metadata.uid === uid) operations.set(name, {...there, status})
      notify()
      return {metadata: {generation: 1}}
    },
  } as unknown as Objects
  const cluster = {objects, leases: {driver: async () => OWN_OPERATOR}} as unknown as Cluster
  const [stop, watch] = [new AbortController(), new AbortController()]
  const queue = openNodeOperations({
    hub: objects,
    files: '/',
    own: {
      ...{cluster, helm: {} as never},
      async open() {
        opened.push(Date.now())
        throw new KkError(given.code, 'not now')
      },
    },
    connect: () => Promise.reject(new Error('no other cluster')),
    findEnvironment: () => ENVIRONMENT,
    events: {record: (_, event) => void events.push(event)},
    signal: watch.signal,
    stop: stop.signal,
    onError: () => undefined,
  })
  onTestFinished(async () => {
    stop.abort()
    await queue.close()
  })
  return {
    ...{opened, events, writes},
    add(name: string, uid = name) {
      const spec = {environment: 'production', node: 'cmp1', operation: 'drain'} as const
      operations.set(name, {metadata: {name, uid, creationTimestamp: '2026-01-01T00:00:00Z'}, spec})
      notify()
    },
    of: (name: string) => operations.get(name)?.status,
  }
}

const reasonOf = (status: NodeOperationStatus | undefined) => status?.conditions?.[0]?.reason

it('a NodeOperation whose end could not be written is not carried out again', async () => {
  let refused = 0
  const running = start({
    code: 'KK_ENVIRONMENT',
    refuses: ({status}) => status.finished !== undefined && refused++ < 2,
  })
  running.add('drain')

  await expect.poll(() => running.of('drain')?.finished, {timeout: 10_000}).toBeDefined()

  expect(refused).toBeGreaterThan(1)
  expect(running.opened).toHaveLength(1)
  expect(reasonOf(running.of('drain'))).toBe('KK_ENVIRONMENT')
  expect(running.events).toMatchObject([{type: 'Warning', reason: 'KK_ENVIRONMENT'}])
})

it('a NodeOperation is tried again after a pause, although its own status has changed', async () => {
  const running = start({code: 'KK_API_SERVER'})
  running.add('drain')

  await wait(400)

  expect(running.opened).toHaveLength(1)
  expect(running.of('drain')).toMatchObject({
    conditions: [{type: 'Ready', status: 'False', reason: 'KK_API_SERVER'}, {type: 'Reconciling'}],
  })
})

it('a NodeOperation that waits for another one on its node reports that', async () => {
  const running = start({code: 'KK_API_SERVER'})
  running.add('first')
  running.add('second')

  await expect.poll(() => reasonOf(running.of('second'))).toBe('Waiting')
  expect(running.of('second')?.conditions?.[0]?.message).toBe('after first')
})

it('a NodeOperation gets nothing of another one of its name', async () => {
  const running = start({code: 'KK_API_SERVER'})
  running.add('drain', 'old')
  await expect.poll(() => running.opened.length).toBe(1)

  running.add('drain', 'new')
  await expect.poll(() => running.opened.length, {timeout: 5_000}).toBe(2)

  expect(new Set(running.writes.map(({uid}) => uid))).toEqual(new Set(['old', 'new']))
  expect(running.of('drain')?.started).toBeDefined()
})

import type {ServerResponse} from 'node:http'
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import {watchHookObjects} from '../../../src/kubernetes/gate/watch-hooks.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {openWatches} from '../../../src/kubernetes/watch/watches.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const annotations = {'helm.sh/hook': 'post-install'}
const hook: KubernetesObject = {apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'sync', annotations}}
const COMPLETE = {conditions: [{type: 'Complete', status: 'True'}]}
const FAILED = {conditions: [{type: 'Failed', status: 'True'}]}

const instance = (uid: string, version: number, status: object = {}) => ({
  metadata: {name: 'sync', namespace: 'openstack', uid, resourceVersion: String(version)},
  status,
})

type Event = readonly ['ADDED' | 'MODIFIED' | 'DELETED', ReturnType<typeof instance>]

interface Setting {
  /** What was there before. */
  readonly left?: readonly object[]
  readonly mustShow?: readonly string[]
  /** Answers a request for the Job itself; it is gone otherwise. */
  readonly onRead?: (response: ServerResponse) => void
}

/** Watches a hook of which these events come. */
async function watched(events: readonly Event[], {left = [], mustShow = [], onRead}: Setting = {}) {
  const {promise: isWatched, resolve} = Promise.withResolvers<(event: Event) => void>()
  const {client} = await scriptedServer(({path, query}, response) => {
    if (path.endsWith('/jobs') && query.has('watch'))
      return resolve(([type, object]) => void response.write(`${JSON.stringify({type, object})}\n`))
    if (query.has('watch')) return undefined
    if (path.endsWith('/jobs/sync')) return onRead ? onRead(response) : refuse(response, 404, 'not found')
    json(response, {metadata: {resourceVersion: '1'}, items: path.endsWith('/jobs') ? left : []})
  })
  const watches = openWatches(client)
  onTestFinished(watches.close)
  const jobs = watches.collection(
    {apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', namespaced: true},
    'openstack',
  )
  const progress: (readonly Cause[])[] = []
  const watch = await watchHookObjects(client, watches, {
    namespace: 'openstack',
    objects: [hook],
    mustShow,
    onProgress: (causes) => progress.push(causes),
  })
  const send = await isWatched
  for (const event of events) {
    const {promise, resolve: heard} = Promise.withResolvers<void>()
    const end = jobs.subscribe(() => heard())
    send(event)
    await promise
    end()
  }
  onTestFinished(watch.stop)
  return {watch, progress}
}

/** Returns what a promise has resolved with; throws while it has not. */
async function settled<T>(promise: Promise<T>): Promise<T> {
  const open = Symbol('open')
  const result = await Promise.race([promise, Promise.resolve(open)])
  if (result === open) throw new Error('it is open')
  return result as T
}

describe('a hook', () => {
  it.each<[string, readonly Event[]]>([
    [
      'that completed and was deleted',
      [
        ['ADDED', instance('a', 2)],
        ['MODIFIED', instance('a', 3, COMPLETE)],
        ['DELETED', instance('a', 4, COMPLETE)],
      ],
    ],
    [
      'of which only the deletion says that it completed',
      [
        ['ADDED', instance('a', 2)],
        ['DELETED', instance('a', 4, COMPLETE)],
      ],
    ],
    ['that was never made', []],
  ])('%s is complete', async (_, events) => {
    const {watch} = await watched(events)

    expect(watch.deleted()).toEqual([])
    await expect(watch.incomplete()).resolves.toEqual([])
  })

  it('is not complete if it was deleted before', async () => {
    const {watch, progress} = await watched([
      ['ADDED', instance('a', 2)],
      ['DELETED', instance('a', 3)],
    ])
    const blame = {
      object: 'Job/sync',
      namespace: 'openstack',
      message: 'it was deleted before it had completed',
      reason: 'NotSeenToComplete',
    }

    expect(progress.at(-1)).toEqual([blame])
    expect(watch.deleted()).toEqual([blame])
    await expect(watch.incomplete()).resolves.toEqual([blame])
    await expect(watch.blames()).resolves.toMatchObject([blame])
  })

  it("is not complete by helm's success alone, if helm runs it in this operation", async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']})
    onTestFinished(() => void vi.useRealTimers())
    const {watch} = await watched([], {mustShow: ['pre-install', 'post-install']})
    const other = await watched([], {mustShow: ['pre-upgrade', 'post-upgrade']})

    const incomplete = watch.incomplete()

    const passing = () => {
      vi.advanceTimersByTime(1000)
      return settled(incomplete)
    }
    await expect(vi.waitFor(passing, {interval: 10, timeout: 10_000})).resolves.toMatchObject([
      {object: 'Job/sync', message: 'it is gone, and was not seen to complete', reason: 'NotSeenToComplete'},
    ])
    await expect(other.watch.incomplete()).resolves.toEqual([])
  })

  it('is not deleted only because the first read fails', async () => {
    let failures = 2
    const onRead = (response: ServerResponse) =>
      failures-- > 0 ? refuse(response, 503, 'etcd is away') : json(response, instance('a', 3, COMPLETE))
    const {watch} = await watched([['ADDED', instance('a', 2)]], {onRead})

    await expect(watch.incomplete()).resolves.toEqual([])
  })

  it('is not deleted early if helm deletes it after its failure', async () => {
    const {watch} = await watched([
      ['ADDED', instance('a', 2)],
      ['MODIFIED', instance('a', 3, FAILED)],
      ['DELETED', instance('a', 4, FAILED)],
    ])

    expect(watch.deleted()).toEqual([])
  })

  it('is replaced without a report if it is of an earlier revision', async () => {
    const {watch} = await watched([['DELETED', instance('old', 3)]], {left: [instance('old', 1)]})

    expect(watch.deleted()).toEqual([])
    await expect(watch.incomplete()).resolves.toEqual([])
  })
})

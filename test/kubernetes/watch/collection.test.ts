import type {ServerResponse} from 'node:http'
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import {PODS} from '../../../src/kubernetes/api/resources.ts'
import type {Collection} from '../../../src/kubernetes/watch/collection.ts'
import {openWatches} from '../../../src/kubernetes/watch/watches.ts'
import {type Answer, json, refuse, scriptedServer} from '../support/api-server.ts'

const pod = (name: string, version: number) => ({metadata: {name, resourceVersion: String(version)}})
const list = (version: number, ...items: object[]) => ({metadata: {resourceVersion: String(version)}, items})
const send = (response: ServerResponse, type: string, object: object) =>
  response.write(`${JSON.stringify({type, object})}\n`)

async function watching(
  answer: Answer,
): Promise<{collection: Collection; asked: {query: URLSearchParams}[]}> {
  const {client, asked} = await scriptedServer(answer)
  const watches = openWatches(client)
  onTestFinished(watches.close)
  return {collection: watches.collection(PODS, 'openstack'), asked}
}

const names = (collection: Collection) => collection.all().map(({metadata}) => metadata.name)
const isWatch = (query: URLSearchParams) => query.has('watch')

describe('a watched collection', () => {
  it('contains the listed objects and follows every change from there', async () => {
    const {collection, asked} = await watching(({query}, response) => {
      if (!isWatch(query)) return json(response, list(10, pod('a', 3), pod('b', 4)))
      send(response, 'ADDED', pod('c', 11))
      send(response, 'DELETED', pod('a', 12))
    })

    await vi.waitFor(() => expect(names(collection)).toEqual(['b', 'c']))

    expect(asked[1]?.query.get('resourceVersion')).toBe('10')
  })

  it('resumes at its resourceVersion, also of bookmarks, when the server ends the watch', async () => {
    let watches = 0
    const {collection, asked} = await watching(({query}, response) => {
      if (!isWatch(query)) return json(response, list(10))
      if (watches++ > 0) return void send(response, 'ADDED', pod('late', 60))
      send(response, 'ADDED', pod('early', 20))
      send(response, 'BOOKMARK', {metadata: {resourceVersion: '50'}})
      response.end()
    })

    await vi.waitFor(() => expect(names(collection)).toEqual(['early', 'late']))

    expect(asked.map(({query}) => query.get('resourceVersion'))).toEqual([null, '10', '50'])
  })

  it('lists again when its resourceVersion has expired', async () => {
    let lists = 0
    const {collection} = await watching(({query}, response) => {
      if (!isWatch(query))
        return json(response, lists++ === 0 ? list(10, pod('old', 9)) : list(90, pod('new', 80)))
      if (query.get('resourceVersion') === '10')
        send(response, 'ERROR', {metadata: {}, code: 410, message: 'too old'})
    })

    await vi.waitFor(() => expect(names(collection)).toEqual(['new']))
  })

  it('reports the problem while the cluster is unreachable, retries, and clears it afterwards', async () => {
    let isDown = true
    const {collection} = await watching(({query}, response) => {
      if (isDown) return response.destroy()
      if (!isWatch(query)) json(response, list(10, pod('a', 3)))
    })
    await vi.waitFor(() => expect(collection.problem()).toMatchObject({code: 'KK_UNREACHABLE'}))
    const heard = vi.fn()
    collection.subscribe(heard)

    isDown = false

    await vi.waitFor(() => expect(names(collection)).toEqual(['a']), {timeout: 5_000})
    expect(collection.problem()).toBeUndefined()
    expect(heard).toHaveBeenCalled()
  })

  it('reports that it may not list', async () => {
    const {collection} = await watching((_, response) => refuse(response, 403, 'no'))

    await collection.attempted()

    expect(collection.isListed()).toBe(false)
    expect(collection.problem()).toMatchObject({code: 'KK_FORBIDDEN'})
  })

  it('shares one list and one watch among all readers', async () => {
    const {client, asked} = await scriptedServer(({query}, response) => {
      if (isWatch(query)) return void send(response, 'ADDED', pod('a', 11))
      json(response, list(10))
    })
    const watches = openWatches(client)
    onTestFinished(watches.close)

    const all = Array.from({length: 100}, () => watches.collection(PODS, 'openstack'))

    await vi.waitFor(() =>
      expect(all.map((collection) => collection.get('a')?.metadata.name)).toEqual(all.map(() => 'a')),
    )
    expect(asked).toHaveLength(2)
  })
})

import {setTimeout as wait} from 'node:timers/promises'
import {asKkError, type KkError} from '../../base/errors.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA, METADATA_LIST} from '../api/list.ts'
import {asking, type Resource, resourcePath} from '../api/resources.ts'
import type {Observed} from '../gate/kinds/observed.ts'
import {collectionStore} from './store.ts'

/** The objects of one kind in one namespace, kept up to date. */
export interface Collection {
  readonly resource: Resource
  readonly namespace: string
  /** Returns whether the objects were listed once. */
  isListed(): boolean
  /** Resolves once the objects were listed, or could not be. */
  attempted(): Promise<void>
  get(name: string): Observed | undefined
  all(): readonly Observed[]
  /** Returns how an object has ended that is gone; undefined for one that another object owned, and if that was not seen. */
  gone(name: string): Observed | undefined
  /** Forgets how an object of this name has ended, because another is about to be made. */
  forget(name: string): void
  /** Adds an object that was read by other means, unless a newer one is known. */
  put(object: Observed): void
  /** Returns the error because of which the cluster cannot be watched now. */
  problem(): KkError | undefined
  /**
   * Calls `listener` at each change; `changed` is undefined if everything may have changed. Returns a function that
   * ends it.
   */
  subscribe(listener: (changed: Observed | undefined) => void): () => void
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Observed & {readonly code?: number; readonly message?: string}
}

/** What of the objects is followed. */
export interface CollectionScope {
  /** Only those that the API server selects by their fields. */
  readonly fieldSelector?: string
  /** Only their metadata. */
  readonly isMetadata?: boolean
}

const FIRST_PAUSE = 100
const LONGEST_PAUSE = 5_000
const WATCH_SECONDS = 300

/**
 * Lists the objects, then watches from there, until `signal` ends it. A watch that ends is resumed where it ended; if
 * the API server no longer knows that place (410), the objects are listed anew. Errors are kept for `problem`, and the
 * request is repeated.
 */
export function openCollection(
  client: ApiClient,
  resource: Resource,
  namespace: string,
  signal: AbortSignal,
  {fieldSelector, isMetadata = false}: CollectionScope = {},
): Collection {
  const store = collectionStore()
  const listeners = new Set<(changed: Observed | undefined) => void>()
  const path = resourcePath(resource, namespace)
  const first = Promise.withResolvers<void>()
  let listed = false
  let problem: KkError | undefined

  const notify = (changed?: Observed) => {
    first.resolve()
    for (const listener of listeners) listener(changed)
  }

  async function list(): Promise<string> {
    const {items, resourceVersion} = await listAll<Observed>(client, {
      path,
      query: {fieldSelector},
      signal,
      ...(isMetadata && {accept: METADATA_LIST}),
      asked: asking('list', resource, namespace),
    })
    store.replace(items, resourceVersion)
    listed = true
    problem = undefined
    notify()
    return resourceVersion
  }

  async function watch(from: string, reached: (version: string) => void): Promise<void> {
    const query = {
      fieldSelector,
      watch: 'true',
      resourceVersion: from,
      allowWatchBookmarks: 'true',
      timeoutSeconds: WATCH_SECONDS,
    }
    const lines = await client.lines({
      path,
      query,
      signal,
      ...(isMetadata && {accept: METADATA}),
      asked: asking('watch', resource, namespace),
    })
    if (problem) {
      problem = undefined
      notify()
    }
    for await (const line of lines) {
      const {type, object} = JSON.parse(line) as WatchEvent
      if (type === 'ERROR') throw watchError(object)
      if (object.metadata.resourceVersion) reached(object.metadata.resourceVersion)
      if (type === 'BOOKMARK') continue
      const isNews = type === 'DELETED' ? store.remove(object) : store.put(object)
      if (isNews) notify(object)
    }
  }

  async function follow(): Promise<void> {
    let version: string | undefined
    let failures = 0
    while (!signal.aborted) {
      const started = performance.now()
      try {
        version ??= await list()
        await watch(version, (reached) => {
          version = reached
          failures = 0
        })
        if (performance.now() - started < FIRST_PAUSE) await wait(FIRST_PAUSE, undefined, {signal})
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof PlaceLost || isApiError(error, 410)) {
          version = undefined
          continue
        }
        problem = asKkError(error)
        notify()
        await wait(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures++), undefined, {signal}).catch(
          () => undefined,
        )
      }
    }
    first.resolve()
  }

  void follow()
  return {
    resource,
    namespace,
    isListed: () => listed,
    attempted: () => first.promise,
    get: store.get,
    all: store.all,
    gone: store.gone,
    forget: store.forget,
    put(object) {
      if (store.put(object)) notify(object)
    },
    problem: () => problem,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

class PlaceLost extends Error {}

function watchError({code, message}: WatchEvent['object']): Error {
  return code === 410 ? new PlaceLost() : new Error(message ?? 'the watch failed')
}

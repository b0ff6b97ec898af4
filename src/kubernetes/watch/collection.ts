import {setTimeout as wait} from 'node:timers/promises'
import {asKkError, type KkError} from '../../base/errors.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA, METADATA_LIST} from '../api/list.ts'
import {type Resource, requestText, resourcePath} from '../api/resources.ts'
import type {Observed} from '../gate/kinds/observed.ts'
import {collectionStore} from './store.ts'

/** The objects of one kind in one namespace, kept up to date. */
export interface Collection {
  readonly resource: Resource
  readonly namespace: string
  /** Returns whether the objects were listed once. */
  isListed(): boolean
  /** Resolves when the objects were listed, or could not be. */
  attempted(): Promise<void>
  get(name: string): Observed | undefined
  all(): readonly Observed[]
  /**
   * Returns the last state of a deleted object; undefined for an owned object, and if the deletion was not
   * observed.
   */
  gone(name: string): Observed | undefined
  /** Discards the last state of a deleted object of this name, because another is about to be created. */
  forget(name: string): void
  /** Adds an object that was read outside the watch, unless a newer version is present. */
  put(object: Observed): void
  /** Returns the error that currently prevents watching the cluster. */
  problem(): KkError | undefined
  /**
   * Calls `listener` at each change; `changed` is undefined if everything may have changed. Returns a
   * function that unsubscribes.
   */
  subscribe(listener: (changed: Observed | undefined) => void): () => void
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Observed & {readonly code?: number; readonly message?: string}
}

/** The selection of objects and fields. */
export interface CollectionScope {
  /** Only objects that the API server selects by their fields. */
  readonly fieldSelector?: string
  /** Only metadata. */
  readonly isMetadata?: boolean
}

const INITIAL_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 5_000
const WATCH_SECONDS = 300

/**
 * Lists the objects, then watches from that resourceVersion, until `signal` aborts. A watch that ends is
 * resumed where it ended; if that resourceVersion has expired (410), the objects are listed again. Errors are
 * available by `problem`, and the request is retried with exponential backoff.
 */
export function openCollection(
  client: ApiClient,
  resource: Resource,
  namespace: string,
  signal: AbortSignal,
  scope: CollectionScope = {},
): Collection {
  const collection = new WatchedCollection(client, resource, namespace, signal, scope)
  void collection.follow()
  return collection
}

class WatchedCollection implements Collection {
  readonly resource: Resource
  readonly namespace: string
  private readonly client: ApiClient
  private readonly signal: AbortSignal
  private readonly scope: CollectionScope
  private readonly store = collectionStore()
  private readonly listeners = new Set<(changed: Observed | undefined) => void>()
  private readonly firstAttempt = Promise.withResolvers<void>()
  /** The resourceVersion to watch from; undefined if the objects must be listed. */
  private version: string | undefined
  private failures = 0
  private listed = false
  private error: KkError | undefined

  constructor(
    client: ApiClient,
    resource: Resource,
    namespace: string,
    signal: AbortSignal,
    scope: CollectionScope,
  ) {
    this.client = client
    this.resource = resource
    this.namespace = namespace
    this.signal = signal
    this.scope = scope
  }

  isListed(): boolean {
    return this.listed
  }

  attempted(): Promise<void> {
    return this.firstAttempt.promise
  }

  get(name: string): Observed | undefined {
    return this.store.get(name)
  }

  all(): readonly Observed[] {
    return this.store.all()
  }

  gone(name: string): Observed | undefined {
    return this.store.gone(name)
  }

  forget(name: string): void {
    this.store.forget(name)
  }

  put(object: Observed): void {
    if (this.store.put(object)) this.notify(object)
  }

  problem(): KkError | undefined {
    return this.error
  }

  subscribe(listener: (changed: Observed | undefined) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async follow(): Promise<void> {
    const {signal} = this
    while (!signal.aborted) {
      const started = performance.now()
      try {
        this.version ??= await this.list()
        await this.watch(this.version)
        if (performance.now() - started < INITIAL_BACKOFF_MS)
          await wait(INITIAL_BACKOFF_MS, undefined, {signal})
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof VersionExpired || isApiError(error, 410)) {
          this.version = undefined
          continue
        }
        this.error = asKkError(error)
        this.notify()
        const backoff = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** this.failures++)
        await wait(backoff, undefined, {signal}).catch(() => undefined)
      }
    }
    this.firstAttempt.resolve()
  }

  private async list(): Promise<string> {
    const {resource, namespace, scope, signal} = this
    const {items, resourceVersion} = await listAll<Observed>(this.client, {
      path: resourcePath(resource, namespace),
      query: {fieldSelector: scope.fieldSelector},
      signal,
      ...(scope.isMetadata && {accept: METADATA_LIST}),
      summary: requestText('list', resource, namespace),
    })
    this.store.replace(items, resourceVersion)
    this.listed = true
    this.error = undefined
    this.notify()
    return resourceVersion
  }

  private async watch(from: string): Promise<void> {
    const {resource, namespace, scope, signal} = this
    const lines = await this.client.lines({
      path: resourcePath(resource, namespace),
      query: {
        fieldSelector: scope.fieldSelector,
        watch: 'true',
        resourceVersion: from,
        allowWatchBookmarks: 'true',
        timeoutSeconds: WATCH_SECONDS,
      },
      signal,
      ...(scope.isMetadata && {accept: METADATA}),
      summary: requestText('watch', resource, namespace),
    })
    if (this.error) {
      this.error = undefined
      this.notify()
    }
    for await (const line of lines) this.applyEvent(JSON.parse(line) as WatchEvent)
  }

  private applyEvent({type, object}: WatchEvent): void {
    if (type === 'ERROR') throw watchError(object)
    if (object.metadata.resourceVersion) {
      this.version = object.metadata.resourceVersion
      this.failures = 0
    }
    if (type === 'BOOKMARK') return
    const isChange = type === 'DELETED' ? this.store.remove(object) : this.store.put(object)
    if (isChange) this.notify(object)
  }

  private notify(changed?: Observed): void {
    this.firstAttempt.resolve()
    for (const listener of this.listeners) listener(changed)
  }
}

class VersionExpired extends Error {}

function watchError({code, message}: WatchEvent['object']): Error {
  return code === 410 ? new VersionExpired() : new Error(message ?? 'the watch failed')
}

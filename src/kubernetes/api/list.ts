import {isApiError} from './api-error.ts'
import type {ApiClient, ApiRequest} from './client.ts'

export interface Listed<T> {
  readonly items: readonly T[]
  /** The version from which a watch starts. */
  readonly resourceVersion: string
}

interface Page<T> {
  readonly metadata: {readonly resourceVersion: string; readonly continue?: string}
  /** The API server sends null for an empty list of metadata. */
  readonly items: readonly T[] | null
}

const PAGE_SIZE = 500

/** Media types that ask for metadata without the content of objects. */
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
export const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'

/**
 * Returns all items, page by page; if a page's continue token has expired, all of them in one unpaged
 * request.
 */
export async function listAll<T>(client: ApiClient, request: ApiRequest): Promise<Listed<T>> {
  try {
    return await listPages(client, request)
  } catch (error) {
    if (!isApiError(error, 410)) throw error
    const page = await client.json<Page<T>>(request)
    return {items: page.items ?? [], resourceVersion: page.metadata.resourceVersion}
  }
}

async function listPages<T>(client: ApiClient, request: ApiRequest): Promise<Listed<T>> {
  const items: T[] = []
  let next: string | undefined
  for (;;) {
    const page = await client.json<Page<T>>({
      ...request,
      query: {...request.query, limit: PAGE_SIZE, continue: next},
    })
    items.push(...(page.items ?? []))
    next = page.metadata.continue || undefined
    if (next === undefined) return {items, resourceVersion: page.metadata.resourceVersion}
  }
}

import {isApiError} from './api/api-error.ts'
import type {ApiClient} from './api/client.ts'
import {METADATA} from './api/list.ts'
import {NAMESPACES, readObject} from './api/resources.ts'

/** Whether a namespace exists; true also when it may not be looked at. */
export async function namespaceExists(client: ApiClient, name: string): Promise<boolean> {
  try {
    return (await readObject(client, NAMESPACES, {namespace: '', name, accept: METADATA})) !== undefined
  } catch (error) {
    if (isApiError(error, 403)) return true
    throw error
  }
}

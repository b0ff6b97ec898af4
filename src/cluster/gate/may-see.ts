import type {ApiClient} from '../api/client.ts'
import type {Resource} from '../api/resources.ts'
import {apiGroup} from '../api-group.ts'
import {reviewAccess} from '../permissions/access.ts'

/** Whether the user may read, list and watch the objects of a kind in a namespace. */
export async function maySee(
  client: ApiClient,
  {apiVersion, plural}: Resource,
  namespace: string,
): Promise<boolean> {
  const group = apiGroup(apiVersion)
  const accesses = ['get', 'list', 'watch'].map((verb) => ({group, resource: plural, verb, namespace}))
  return (await reviewAccess(client, accesses)).every(Boolean)
}

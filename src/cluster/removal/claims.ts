import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {asking, CLAIMS, resourcePath} from '../api/resources.ts'
import type {Claim} from '../cluster.ts'

interface ClaimMetadata {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

/** The PersistentVolumeClaims of a namespace, by name. */
export async function listClaims(client: ApiClient, namespace: string): Promise<readonly Claim[]> {
  const {items} = await listAll<ClaimMetadata>(client, {
    path: resourcePath(CLAIMS, namespace),
    accept: METADATA_LIST,
    asked: asking('list', CLAIMS, namespace),
  })
  return items.map(({metadata: {name, uid, labels = {}}}) => ({namespace, name, uid, labels}))
}

/** Deletes exactly the claim that was seen: one that was made anew under its name stays. */
export async function deleteClaim(client: ApiClient, {namespace, name, uid}: Claim): Promise<void> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(CLAIMS, namespace, name),
      body: {apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid}},
      asked: asking('delete', CLAIMS, namespace, name),
    })
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
  }
}

import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {asking, EVENTS, resourcePath} from '../../api/resources.ts'

/** What a component says of an object: core/v1 Event. */
export interface ObjectEvent {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly metadata: {readonly creationTimestamp?: string}
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

/** The newest warning about an object, e.g. a failed readiness probe; undefined when there is none to have. */
export async function lastWarning(
  client: ApiClient,
  object: {readonly namespace: string; readonly kind: string; readonly name: string},
): Promise<ObjectEvent | undefined> {
  const {namespace, kind, name} = object
  try {
    const {items} = await listAll<ObjectEvent>(client, {
      path: resourcePath(EVENTS, namespace),
      query: {fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name},type=Warning`},
      asked: asking('list', EVENTS, namespace),
      signal: AbortSignal.timeout(3_000),
    })
    return [...items].sort((one, other) => timeOf(other).localeCompare(timeOf(one)))[0]
  } catch {
    return undefined
  }
}

function timeOf({lastTimestamp, eventTime, metadata}: ObjectEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
}

import type {ApiClient, ApiRequest} from './client.ts'
import {PODS, requestText, resourcePath} from './resources.ts'

/** A container and its pod. */
export interface ContainerPlace {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

interface LogOptions {
  /** Parameters of `GET …/pods/{name}/log` in addition to the container. Defaults to the whole log. */
  readonly query?: Readonly<Record<string, string | number>>
  readonly timeoutMilliseconds: number
}

function logRequest({namespace, pod, container}: ContainerPlace, query: LogOptions['query']): ApiRequest {
  return {
    path: `${resourcePath(PODS, namespace, pod)}/log`,
    query: {container, ...query},
    accept: 'text/plain, application/json',
    summary: requestText('read the log of', PODS, namespace, pod),
  }
}

/**
 * Resolves with the lines of a container's log as they arrive, until its end. Rejects as the client does.
 */
export function openLog(
  client: ApiClient,
  place: ContainerPlace,
  query: LogOptions['query'],
): Promise<AsyncGenerator<string, void>> {
  return client.lines(logRequest(place, query))
}

/** Returns the log of a container. Rejects as the client does. */
export function readLog(
  client: ApiClient,
  place: ContainerPlace,
  {query, timeoutMilliseconds}: LogOptions,
): Promise<string> {
  return client.text({...logRequest(place, query), signal: AbortSignal.timeout(timeoutMilliseconds)})
}

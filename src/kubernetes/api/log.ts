import type {ApiClient} from './client.ts'
import {asking, PODS, resourcePath} from './resources.ts'

/** A container, by its pod. */
export interface ContainerPlace {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

interface LogOptions {
  /** Of `GET …/pods/{name}/log`, beside the container; by default the whole log. */
  readonly query?: Readonly<Record<string, string | number>>
  readonly timeoutMilliseconds: number
}

/** Returns what a container has logged. Rejects as the client does. */
export function readLog(
  client: ApiClient,
  {namespace, pod, container}: ContainerPlace,
  {query, timeoutMilliseconds}: LogOptions,
): Promise<string> {
  return client.text({
    path: `${resourcePath(PODS, namespace, pod)}/log`,
    query: {container, ...query},
    accept: 'text/plain, application/json',
    asked: asking('read the log of', PODS, namespace, pod),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  })
}

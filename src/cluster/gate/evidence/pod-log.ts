import type {ApiClient} from '../../api/client.ts'
import {asking, PODS, resourcePath} from '../../api/resources.ts'

const LINES = 20
const BYTES = 16_384
const TIMEOUT = 3_000
/** What a kubelet answers, with success, when it has removed the container already. */
const REMOVED = /^unable to retrieve container logs for /

export interface ContainerPlace {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** The last lines of a container, of its run before when the current one has none yet; empty when there are none to have. */
export async function lastLogLines(
  client: ApiClient,
  place: ContainerPlace,
  restarted: boolean,
): Promise<readonly string[]> {
  const previous = restarted ? await readLog(client, place, true) : []
  return previous.length > 0 ? previous : readLog(client, place, false)
}

/** Best effort: logs only adorn an error that is reported anyway. */
async function readLog(
  client: ApiClient,
  {namespace, pod, container}: ContainerPlace,
  previous: boolean,
): Promise<string[]> {
  try {
    const text = await client.text({
      path: `${resourcePath(PODS, namespace, pod)}/log`,
      query: {container, tailLines: LINES, limitBytes: BYTES, ...(previous && {previous: 'true'})},
      accept: 'text/plain, application/json',
      asked: asking('read the log of', PODS, namespace, pod),
      signal: AbortSignal.timeout(TIMEOUT),
    })
    return text.split('\n').filter((line) => line.trim() !== '' && !REMOVED.test(line))
  } catch {
    return []
  }
}

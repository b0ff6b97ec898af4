import type {ApiClient} from '../../api/client.ts'
import {asking, PODS, resourcePath} from '../../api/resources.ts'

const LINES = 20
/** So many are read, for probes that fail fill a log with the same lines again and again. */
const READ = {tailLines: 300, limitBytes: 131_072}
/** Where these are cut at their end, for they are long. */
const SHORT = {tailLines: LINES, limitBytes: 16_384}
const TIMEOUT = 3_000
/** What a kubelet answers, with success, when it has removed the container already. */
const REMOVED = /^unable to retrieve container logs for /

export interface ContainerPlace {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/**
 * The last lines of a container, of its run before when the current one has none yet; empty when there are none to have. Of
 * lines that differ in numbers only, such as those of a probe, the last.
 */
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
): Promise<readonly string[]> {
  const read = ({tailLines, limitBytes}: typeof READ) =>
    client.text({
      path: `${resourcePath(PODS, namespace, pod)}/log`,
      query: {container, tailLines, limitBytes, ...(previous && {previous: 'true'})},
      accept: 'text/plain, application/json',
      asked: asking('read the log of', PODS, namespace, pod),
      signal: AbortSignal.timeout(TIMEOUT),
    })
  try {
    const text = await read(READ)
    const isCut = Buffer.byteLength(text) >= READ.limitBytes
    const lines = (isCut ? await read(SHORT) : text).split('\n')
    return lastOfEach(lines.filter((line) => line.trim() !== '' && !REMOVED.test(line))).slice(-LINES)
  } catch {
    return []
  }
}

/** In their order. */
function lastOfEach(lines: readonly string[]): readonly string[] {
  const lastAt = new Map(lines.map((line, at) => [line.replace(/\d+/g, '0'), at]))
  return [...lastAt.values()].sort((one, other) => one - other).map((at) => lines[at]!)
}

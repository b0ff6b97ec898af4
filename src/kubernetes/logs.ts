import type {ApiClient} from './api/client.ts'
import {listAll} from './api/list.ts'
import {type ContainerPlace, openLog} from './api/log.ts'
import {PODS, requestText, resourcePath} from './api/resources.ts'
import type {Pod} from './gate/kinds/observed.ts'
import {labelledName} from './release-labels.ts'

/** A log of a container. */
export interface ContainerLog extends ContainerPlace {
  /** The release; the section, if that is several releases. */
  readonly release: string
  readonly node: string
  /** Whether it is that of the container before its last restart. */
  readonly isPrevious: boolean
}

/** A line of a log. */
export interface LoggedLine {
  /** When the container wrote it, by the clock of its node: RFC 3339 in UTC, with nanoseconds. */
  readonly time: string
  readonly text: string
}

interface LogRange {
  /** How many seconds back. */
  readonly seconds: number
  /** How many lines at most, from the end; all if omitted. */
  readonly tail?: number | undefined
}

/** The logs of the containers of charts. Every function throws like those of `Cluster`. */
export interface Logs {
  /** Returns the logs in a namespace of the containers that have started, also those of Jobs. */
  list(namespace: string): Promise<readonly ContainerLog[]>
  /** Yields the lines of a log in order. */
  lines(log: ContainerLog, range: LogRange): AsyncGenerator<LoggedLine, void>
}

export function openLogs(client: ApiClient): Logs {
  return {
    list: (namespace) => listLogs(client, namespace),
    lines: (log, range) => readLines(client, log, range),
  }
}

async function listLogs(client: ApiClient, namespace: string): Promise<readonly ContainerLog[]> {
  const {items} = await listAll<Pod>(client, {
    path: resourcePath(PODS, namespace),
    summary: requestText('list', PODS, namespace),
  })
  return items.flatMap(({metadata, spec, status}) => {
    const release = labelledName(metadata.labels ?? {})
    if (release === undefined) return []
    const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    return containers.flatMap(({name, state, lastState}) => {
      const place = {namespace, pod: metadata.name, container: name, release, node: spec?.nodeName ?? ''}
      return [
        ...(lastState?.terminated ? [{...place, isPrevious: true}] : []),
        ...(state?.running || state?.terminated ? [{...place, isPrevious: false}] : []),
      ]
    })
  })
}

async function* readLines(
  client: ApiClient,
  {isPrevious, ...place}: ContainerLog,
  {seconds, tail}: LogRange,
): AsyncGenerator<LoggedLine, void> {
  const query = {
    ...{timestamps: 'true', sinceSeconds: seconds},
    ...(tail !== undefined && {tailLines: tail}),
    ...(isPrevious && {previous: 'true'}),
  }
  let time = ''
  for await (const line of await openLog(client, place, query)) {
    const [, stamp, text] = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/s.exec(line) ?? []
    // What a kubelet adds has no time.
    time = stamp === undefined ? time : inUtc(stamp)
    yield {time, text: text ?? line}
  }
}

/** Returns a time of a node's zone in UTC, with all digits. */
function inUtc(stamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(stamp) ?? []
  const parsed = new Date(stamp)
  if (Number.isNaN(parsed.getTime())) return stamp
  return `${parsed.toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`
}

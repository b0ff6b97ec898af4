import {asKkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {isApiError, isUnserved} from '../../kubernetes/api/api-error.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {ContainerLog, LoggedLine} from '../../kubernetes/logs.ts'
import {sectionId} from '../../prepare/gathering/load-charts.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'
import {releaseId, releaseNamespace} from '../../release.ts'

/** Which lines of the logs are read. */
export interface LogOptions {
  /** The releases; all of the environment if empty. */
  readonly releases: readonly string[]
  /** How many seconds back. */
  readonly seconds: number
  /** How many lines of each container at most, from the end; all if omitted. */
  readonly tail?: number | undefined
  /** The ID of a request of OpenStack, `req-UUID`; only lines with it. */
  readonly request?: string | undefined
  /** Only lines of errors. */
  readonly errors: boolean
}

/** A line with its container. */
export interface FoundLine extends LoggedLine, Omit<ContainerLog, 'isPrevious'> {}

export interface FoundLogs {
  /** In order of time. */
  readonly lines: readonly FoundLine[]
  /** The logs that could not be read, each with the reason. */
  readonly notRead: readonly {readonly pod: string; readonly container: string; readonly reason: string}[]
}

/**
 * Reads the logs of the pods of an environment, also those of Jobs and of containers before their last
 * restart. Throws `KK_UNKNOWN_RELEASE` for a release that the environment does not have.
 */
export async function readLogs(
  {logs}: Pick<Cluster, 'logs'>,
  prepared: Pick<Prepared, 'environment' | 'graph' | 'releases'>,
  options: LogOptions,
): Promise<FoundLogs> {
  const {releases} = options
  const named = releases.length > 0 ? namedReleases(prepared, releases) : [...prepared.releases.keys()]
  // The pods of a section that is several releases have the name of the section.
  const sections = new Set(named.map((release) => sectionId(prepared.environment, release)))
  const namespaces = [...new Set(named.map(releaseNamespace))]
  const all = (await mapParallel(namespaces, (namespace) => logs.list(namespace))).flat()
  const own = all.filter(({namespace, release}) => sections.has(releaseId(namespace, release)))
  const silent = new Set<string>()
  const found = await mapParallel(own, (log) => readOne(logs, log, {...options, silent}))
  return {
    lines: found
      .flatMap(({lines}) => lines)
      .sort(({time: one}, {time: other}) => (one < other ? -1 : one > other ? 1 : 0)),
    notRead: found.flatMap(({notRead}) => (notRead ? [notRead] : [])),
  }
}

interface Reading extends LogOptions {
  /** The nodes whose kubelet does not answer: each of their logs would cost as much time. */
  readonly silent: Set<string>
}

async function readOne(
  logs: Cluster['logs'],
  log: ContainerLog,
  {seconds, tail, request, errors, silent}: Reading,
): Promise<{readonly lines: readonly FoundLine[]; readonly notRead?: FoundLogs['notRead'][number]}> {
  const {isPrevious, ...place} = log
  const {namespace, pod, container, node} = place
  const missing = (reason: string) => ({pod: `${namespace}/${pod}`, container, reason})
  const lines: FoundLine[] = []
  if (silent.has(node)) return {lines, notRead: missing(`node ${node} does not answer`)}
  try {
    for await (const line of logs.lines(log, {seconds, tail})) {
      if (request !== undefined && !line.text.includes(request)) continue
      if (errors && !ERROR.test(line.text)) continue
      lines.push({...place, ...line})
    }
    return {lines}
  } catch (error) {
    // The runtime deletes the log of a former container at any time.
    if (isPrevious && isApiError(error, 400, 404)) return {lines}
    if (isUnserved(error)) silent.add(node)
    return {lines, notRead: missing(asKkError(error).message)}
  }
}

/**
 * The levels of errors in the logs of OpenStack, MariaDB, RabbitMQ, Open vSwitch, and Kubernetes' programs.
 */
const ERROR = /\b(?:ERROR|CRITICAL|FATAL)\b|\[(?:error|critical)\]|\|(?:ERR|EMER)\||^E\d{4} /

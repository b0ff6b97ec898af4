import {isMap} from '../../base/values.ts'
import type {ApiClient} from '../api/client.ts'
import {readLog} from '../api/log.ts'
import {type Cause, type Health, passes} from './health.ts'
import type {Observed} from './kinds/observed.ts'

/**
 * The annotation of a Deployment whose pod is ready while a service reports that it is healthy, and whose log
 * has the reports: lines of JSON with `state`, `summary` and `findings` (`common.scripts.service-status.py`).
 */
const ANNOTATION = 'kk.openstack.org/service-status'
/** The reason of a cause before the report is read, and after that. */
const UNREAD = 'ServiceStatus'
export const SERVICE_REASON = 'ServiceUnhealthy'
const UNKNOWN_REASON = 'ServiceUnknown'

/** Whether an object of a chart reports the status of its service. */
export function reportsStatus({
  metadata,
}: {
  readonly metadata: Pick<Observed['metadata'], 'annotations'>
}): boolean {
  return metadata.annotations?.[ANNOTATION] === 'true'
}

/** Whether a cause is what a service reports of itself, not the trouble of a pod. */
export function isServiceReport({reason}: Cause): boolean {
  return reason === SERVICE_REASON || reason === UNKNOWN_REASON
}

/**
 * Returns the health of a Deployment, with a mark on the cause if its pod runs and reports that a service is
 * not healthy; pure.
 */
export function markServiceStatus(deployment: Observed, health: Health): Health {
  if (passes(health) || !reportsStatus(deployment)) return health
  const isReport = ({pod, container, reason}: Cause) => pod && container && reason === 'ContainersNotReady'
  return {...health, blames: health.blames.map((one) => (isReport(one) ? {...one, reason: UNREAD} : one))}
}

/** The health of objects as their services explain it. */
interface ExplainedHealth {
  readonly health: Health
  /**
   * What services report of nothing but nodes that are away: the objects that report it, with a note each.
   * Only if these objects alone keep the gate closed.
   */
  readonly excused?: readonly Cause[]
}

/** `awayNodes` are the names of the nodes whose parts of services are not awaited. */
export type ServiceStatusReader = (health: Health, awayNodes: ReadonlySet<string>) => Promise<ExplainedHealth>

/** Returns a function that replaces marked causes with what the service reports, read from the pods' logs. */
export function serviceStatusReader(client: ApiClient, namespace: string): ServiceStatusReader {
  const recent = new Map<string, {readonly at: number; readonly report: Promise<Report | undefined>}>()

  function read(cause: Cause): Promise<Report | undefined> {
    const place = {namespace: cause.namespace ?? namespace, pod: cause.pod!, container: cause.container!}
    const key = `${place.namespace}/${place.pod}`
    const known = recent.get(key)
    if (known && Date.now() - known.at < REREAD_AFTER_MS) return known.report
    const query = {tailLines: LAST_LINES, limitBytes: 65_536}
    const report = readLog(client, place, {query, timeoutMilliseconds: 3_000}).then(
      parseReport,
      () => undefined,
    )
    recent.set(key, {at: Date.now(), report})
    return report
  }

  return async (health, awayNodes) => {
    if (passes(health)) return {health}
    const reports = await Promise.all(
      health.blames.map(async (cause) => (cause.reason === UNREAD ? await read(cause) : undefined)),
    )
    const blames = health.blames.map((cause, index) =>
      cause.reason === UNREAD ? explained(cause, reports[index]) : cause,
    )
    const areExcused = reports.every((report) => isOnlyOf(report, awayNodes))
    return {health: {...health, blames}, ...(areExcused && {excused: blames})}
  }
}

/** Whether a service reports that parts on these nodes are down, and nothing else. */
function isOnlyOf(report: Report | undefined, nodes: ReadonlySet<string>): boolean {
  if (nodes.size === 0 || report?.state !== 'unhealthy' || report.findings.length === 0) return false
  return report.findings.every((finding) => {
    const host = / on (\S+): down\b/.exec(finding)?.[1]
    return host !== undefined && nodes.has(host)
  })
}

/** The time after which a report is read again, in milliseconds: a gate evaluates at each event. */
const REREAD_AFTER_MS = 3_000

/** The lines of a log among which its last report is: libraries of the service write others to it. */
const LAST_LINES = 10

interface Report {
  readonly state: string
  readonly summary: string
  readonly findings: readonly string[]
}

function parseReport(log: string): Report | undefined {
  return log
    .split('\n')
    .map(parseLine)
    .findLast((report) => report !== undefined)
}

function parseLine(line: string): Report | undefined {
  try {
    const report: unknown = JSON.parse(line)
    if (!isMap(report)) return undefined
    const {state, summary, findings} = report
    const texts = Array.isArray(findings) ? findings.map(String) : []
    return {state: String(state), summary: String(summary ?? ''), findings: texts}
  } catch {
    return undefined
  }
}

/** Returns the cause with the findings as its message; the pod that reports them is not the culprit. */
function explained(cause: Cause, report: Report | undefined): Cause {
  if (!report) return {...cause, reason: 'ContainersNotReady'}
  const {object, namespace, message} = cause
  const {state, summary, findings} = report
  const about = {object, ...(namespace && {namespace})}
  const shown = findings.join('; ') || summary
  if (state === 'unhealthy') return {...about, message: shown, reason: SERVICE_REASON}
  if (state === 'unknown') return {...about, message: `not known: ${shown}`, reason: UNKNOWN_REASON}
  return {...cause, message, reason: 'ContainersNotReady', detail: `its last report is ${state}: ${summary}`}
}

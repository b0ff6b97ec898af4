import type {Event} from 'kubernetes-types/core/v1.js'
import type {Redact} from '../../redact/redact.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {type ContainerPlace, readLog} from '../api/log.ts'
import {EVENTS, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {redactCause} from './cause.ts'
import type {Cause} from './health.ts'
import {isServiceReport} from './service-status.ts'

/** The evidence for causes: events and log lines. */
export interface Evidence {
  /** Records causes while their pods exist: a failed Job's pods are deleted, and their logs with them. */
  note(causes: readonly Cause[]): void
  /**
   * Returns the causes with their latest events and log lines; causes of containers that have ended come
   * first, even if they are running again.
   */
  explain(causes: readonly Cause[]): Promise<readonly Cause[]>
}

/** Unspecific reasons; an event has the actual cause. */
const UNSPECIFIC_REASONS = [
  'ContainersNotReady',
  'ContainerCreating',
  'PodInitializing',
  'Pending',
  undefined,
]
/** Transient reasons, which explain nothing once the pod runs or is deleted. */
const TRANSIENT_REASONS = ['Pending', 'ContainerCreating']
/** Reasons of a container that has never run. */
const REASONS_WITHOUT_LOG = /Image|^ContainerCreating$|CreateContainer|RunContainer|Unschedulable|Pending/
const MAX_EXPLAINED = 5

export function gatherEvidence(client: ApiClient, namespace: string, redact: Redact): Evidence {
  const recorded = new Map<string, Cause>()
  const logs = new Map<string, Promise<readonly string[]>>()

  function fetchLog(cause: Cause): Promise<readonly string[]> {
    const {pod, container, reason} = cause
    if (!pod || !container || REASONS_WITHOUT_LOG.test(reason ?? '')) return Promise.resolve([])
    const place = {namespace: cause.namespace ?? namespace, pod, container}
    return lastLogLines(client, place, ENDED_REASONS.test(reason ?? ''))
  }

  /** Fetches the log of a container once each time that it has ended: after that it does not change. */
  function cachedLog(cause: Cause): Promise<readonly string[]> {
    const key = [cause.namespace, cause.pod, cause.container].join('/')
    const end = `${key} ${cause.reason} ${cause.detail}`
    if (!logs.has(end)) {
      const before = logs.get(key)
      const fetched = fetchLog(cause).then(async (lines) =>
        lines.length > 0 ? lines : ((await before) ?? []),
      )
      logs.set(end, fetched)
      logs.set(key, fetched)
    }
    return logs.get(end) ?? Promise.resolve([])
  }

  async function explainOne(cause: Cause): Promise<Cause> {
    const [log, withWarning] = await Promise.all([latestLog(cause), warning(cause)])
    return redactCause({...withWarning, ...(log.length > 0 && {log})}, redact)
  }

  async function latestLog(cause: Cause): Promise<readonly string[]> {
    const fresh = await fetchLog(cause)
    if (fresh.length > 0) return fresh
    return (await logs.get([cause.namespace, cause.pod, cause.container].join('/'))) ?? []
  }

  async function warning(cause: Cause): Promise<Cause> {
    if (!UNSPECIFIC_REASONS.includes(cause.reason)) return cause
    const [kind = '', name = ''] = cause.pod ? ['Pod', cause.pod] : cause.object.split('/')
    const event = await lastWarning(client, {namespace: cause.namespace ?? namespace, kind, name})
    if (!event?.message) return cause
    return {...cause, reason: event.reason ?? cause.reason ?? 'Warning', detail: event.message}
  }

  return {
    note(causes) {
      for (const cause of causes) {
        if (!cause.pod || TRANSIENT_REASONS.includes(cause.reason ?? '')) continue
        recorded.set(cause.object, cause)
        if (ENDED_REASONS.test(cause.reason ?? '')) void cachedLog(cause)
      }
    },
    async explain(causes) {
      const sorted = endedFirst(causes.map((cause) => withPod(cause, recorded.get(cause.object))))
      const explained = await Promise.all(sorted.slice(0, MAX_EXPLAINED).map(explainOne))
      return [...explained, ...sorted.slice(MAX_EXPLAINED)]
    },
  }
}

/** Returns the cause with the last recorded pod, if the object has no pods left. */
function withPod(cause: Cause, recorded: Cause | undefined): Cause {
  if (cause.pod || !recorded || isServiceReport(cause)) return cause
  const {pod, container, reason, detail} = recorded
  return {
    ...cause,
    ...(pod && {pod}),
    ...(container && {container}),
    ...(reason && {reason}),
    ...(detail && {detail}),
  }
}

/** Reasons of a container that has ended at least once. */
const ENDED_REASONS = /^(CrashLoopBackOff|Restarting|Error|OOMKilled|ContainerCannotRun|DeadlineExceeded)$/

/**
 * Returns the causes of containers that have ended first, since the other causes may wait for them; otherwise
 * in the same order.
 */
export function endedFirst(causes: readonly Cause[]): readonly Cause[] {
  const hasEnded = ({reason}: Cause) => ENDED_REASONS.test(reason ?? '')
  return [...causes.filter(hasEnded), ...causes.filter((cause) => !hasEnded(cause))]
}

type ObjectEvent = Served<Event>

/**
 * Returns the latest warning about an object, e.g. a failed readiness probe; undefined if there is none, or
 * it cannot be read.
 */
async function lastWarning(
  client: ApiClient,
  object: {readonly namespace: string; readonly kind: string; readonly name: string},
): Promise<ObjectEvent | undefined> {
  const {namespace, kind, name} = object
  try {
    const {items} = await listAll<ObjectEvent>(client, {
      path: resourcePath(EVENTS, namespace),
      query: {fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name},type=Warning`},
      summary: requestText('list', EVENTS, namespace),
      signal: AbortSignal.timeout(3_000),
    })
    return [...items].sort((one, other) => eventTimestamp(other).localeCompare(eventTimestamp(one)))[0]
  } catch {
    return undefined
  }
}

function eventTimestamp({lastTimestamp, eventTime, metadata}: ObjectEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
}

const MAX_LOG_LINES = 20
/** The limits of a read; they are high because failing probes fill a log with repeated lines. */
const LOG_LIMITS = {tailLines: 300, limitBytes: 131_072}
/** The limits of the second read, if the first is cut at its end because its lines are long. */
const SHORT_LOG_LIMITS = {tailLines: MAX_LOG_LINES, limitBytes: 16_384}
const LOG_TIMEOUT_MS = 3_000
/** The kubelet's response, with success, after it has removed the container. */
const LOG_REMOVED = /^unable to retrieve container logs for /

/**
 * Returns the last lines of a container, of its previous run if it was restarted; empty if there are none. Of
 * lines that differ only in numbers, such as those of a probe, the last one is kept.
 */
async function lastLogLines(
  client: ApiClient,
  place: ContainerPlace,
  restarted: boolean,
): Promise<readonly string[]> {
  const previous = restarted ? await logLines(client, place, true) : []
  return previous.length > 0 ? previous : logLines(client, place, false)
}

/**
 * Returns the lines of a log; empty if it cannot be read, because logs only supplement an error that is
 * reported anyway.
 */
async function logLines(
  client: ApiClient,
  place: ContainerPlace,
  previous: boolean,
): Promise<readonly string[]> {
  const read = ({tailLines, limitBytes}: typeof LOG_LIMITS) =>
    readLog(client, place, {
      query: {tailLines, limitBytes, ...(previous && {previous: 'true'})},
      timeoutMilliseconds: LOG_TIMEOUT_MS,
    })
  try {
    const text = await read(LOG_LIMITS)
    const isCut = Buffer.byteLength(text) >= LOG_LIMITS.limitBytes
    const lines = (isCut ? await read(SHORT_LOG_LIMITS) : text).split('\n')
    return lastOfEach(lines.filter((line) => line.trim() !== '' && !LOG_REMOVED.test(line))).slice(
      -MAX_LOG_LINES,
    )
  } catch {
    return []
  }
}

/** Returns the last of each group of lines that differ only in numbers, in their order. */
function lastOfEach(lines: readonly string[]): readonly string[] {
  const lastAt = new Map(lines.map((line, at) => [line.replace(/\d+/g, '0'), at]))
  return [...lastAt.values()].sort((one, other) => one - other).map((at) => lines[at]!)
}

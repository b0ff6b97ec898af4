import type {Event} from 'kubernetes-types/core/v1.js'
import type {Redact} from '../../redact/redact.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {type ContainerPlace, readLog} from '../api/log.ts'
import {asking, EVENTS, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {redactCause} from './cause.ts'
import type {Cause} from './health.ts'

/** The evidence that explains causes: events and log lines. */
export interface Evidence {
  /** Notes causes while their pods exist: a failed Job's pods are deleted, and their logs with them. */
  note(blames: readonly Cause[]): void
  /**
   * Returns the causes with events and log lines, as fresh as possible; causes that have ended come first, though they
   * may run again just now.
   */
  explain(blames: readonly Cause[]): Promise<readonly Cause[]>
}

/** Reasons that say little; an event holds the cause behind them. */
const VAGUE = ['ContainersNotReady', 'ContainerCreating', 'PodInitializing', 'Pending', undefined]
/** Reasons that pass by themselves, and explain nothing once the pod runs, or is gone. */
const PASSING = ['Pending', 'ContainerCreating']
/** Reasons of a container that has never run. */
const WITHOUT_LOG = /Image|^ContainerCreating$|CreateContainer|RunContainer|Unschedulable|Pending/
const MOST_EXPLAINED = 5

export function gatherEvidence(client: ApiClient, namespace: string, redact: Redact): Evidence {
  const noted = new Map<string, Cause>()
  const logs = new Map<string, Promise<readonly string[]>>()

  function fetchLog(cause: Cause): Promise<readonly string[]> {
    const {pod, container, reason} = cause
    if (!pod || !container || WITHOUT_LOG.test(reason ?? '')) return Promise.resolve([])
    const place = {namespace: cause.namespace ?? namespace, pod, container}
    return lastLogLines(client, place, ENDED.test(reason ?? ''))
  }

  /** Fetches the log of a container once for each time that it has ended, for it does not change after that. */
  function notedLog(cause: Cause): Promise<readonly string[]> {
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
    const [log, warned] = await Promise.all([freshOr(cause), warning(cause)])
    return redactCause({...warned, ...(log.length > 0 && {log})}, redact)
  }

  async function freshOr(cause: Cause): Promise<readonly string[]> {
    const fresh = await fetchLog(cause)
    if (fresh.length > 0) return fresh
    return (await logs.get([cause.namespace, cause.pod, cause.container].join('/'))) ?? []
  }

  async function warning(cause: Cause): Promise<Cause> {
    if (!VAGUE.includes(cause.reason)) return cause
    const [kind = '', name = ''] = cause.pod ? ['Pod', cause.pod] : cause.object.split('/')
    const event = await lastWarning(client, {namespace: cause.namespace ?? namespace, kind, name})
    if (!event?.message) return cause
    return {...cause, reason: event.reason ?? cause.reason ?? 'Warning', detail: event.message}
  }

  return {
    note(blames) {
      for (const cause of blames) {
        if (!cause.pod || PASSING.includes(cause.reason ?? '')) continue
        noted.set(cause.object, cause)
        if (ENDED.test(cause.reason ?? '')) void notedLog(cause)
      }
    },
    async explain(blames) {
      const known = tellingFirst(blames.map((cause) => withPod(cause, noted.get(cause.object))))
      const explained = await Promise.all(known.slice(0, MOST_EXPLAINED).map(explainOne))
      return [...explained, ...known.slice(MOST_EXPLAINED)]
    },
  }
}

/** Returns the cause with the last noted pod, if the pods of the object are gone. */
function withPod(cause: Cause, noted: Cause | undefined): Cause {
  if (cause.pod || !noted) return cause
  const {pod, container, reason, detail} = noted
  return {
    ...cause,
    ...(pod && {pod}),
    ...(container && {container}),
    ...(reason && {reason}),
    ...(detail && {detail}),
  }
}

/** Reasons of a container that has ended at least once. */
const ENDED = /^(CrashLoopBackOff|Error|OOMKilled|ContainerCannotRun|DeadlineExceeded)$/

/** Returns the causes that have ended before those that merely wait, perhaps for them; otherwise in the same order. */
export function tellingFirst(blames: readonly Cause[]): readonly Cause[] {
  const hasEnded = ({reason}: Cause) => ENDED.test(reason ?? '')
  return [...blames.filter(hasEnded), ...blames.filter((cause) => !hasEnded(cause))]
}

type ObjectEvent = Served<Event>

/**
 * Returns the newest warning about an object, e.g. a failed readiness probe; undefined if there is none, or it cannot
 * be read.
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

const LINES = 20
/** The part of a log that is read; it is long, for failing probes fill a log with the same lines again and again. */
const READ = {tailLines: 300, limitBytes: 131_072}
/** The part that is read instead if the first is cut at its end because its lines are long. */
const SHORT = {tailLines: LINES, limitBytes: 16_384}
const TIMEOUT = 3_000
/** Matches a kubelet's answer, with success, when it has removed the container already. */
const REMOVED = /^unable to retrieve container logs for /

/**
 * Returns the last lines of a container, of its previous run first if it was restarted; empty if there are none. Of
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
 * Returns the lines of a log; empty if it cannot be read, for logs only supplement an error that is reported anyway.
 */
async function logLines(
  client: ApiClient,
  place: ContainerPlace,
  previous: boolean,
): Promise<readonly string[]> {
  const read = ({tailLines, limitBytes}: typeof READ) =>
    readLog(client, place, {
      query: {tailLines, limitBytes, ...(previous && {previous: 'true'})},
      timeoutMilliseconds: TIMEOUT,
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

/** Returns the last of the lines that differ only in numbers, in their order. */
function lastOfEach(lines: readonly string[]): readonly string[] {
  const lastAt = new Map(lines.map((line, at) => [line.replace(/\d+/g, '0'), at]))
  return [...lastAt.values()].sort((one, other) => one - other).map((at) => lines[at]!)
}

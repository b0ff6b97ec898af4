import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {asking, EVENTS, PODS, resourcePath} from '../../api/resources.ts'
import type {Blame} from '../../cluster.ts'
import {type Redact, redactBlame} from '../../redact-secrets.ts'

/** What can be brought forward to explain a blame. */
export interface Evidence {
  /** Takes note of blames while their pods are there: a failed Job's pods are deleted, and their logs with them. */
  note(blames: readonly Blame[]): void
  /** The blames with events and log lines, as fresh as can be had; first what has ended, though it may run again just now. */
  explain(blames: readonly Blame[]): Promise<readonly Blame[]>
}

/** Reasons that say little: what is behind them stands in an event. */
const VAGUE = ['ContainersNotReady', 'ContainerCreating', 'PodInitializing', 'Pending', undefined]
/** Passes by itself: of no use when the pod runs, or is gone. */
const PASSING = ['Pending', 'ContainerCreating']
/** A container with such a reason has never run. */
const WITHOUT_LOG = /Image|^ContainerCreating$|CreateContainer|RunContainer|Unschedulable|Pending/
const MOST_EXPLAINED = 5

export function gatherEvidence(client: ApiClient, namespace: string, redact: Redact): Evidence {
  const noted = new Map<string, Blame>()
  const logs = new Map<string, Promise<readonly string[]>>()

  function fetchLog(blame: Blame): Promise<readonly string[]> {
    const {pod, container, reason} = blame
    if (!pod || !container || WITHOUT_LOG.test(reason ?? '')) return Promise.resolve([])
    const place = {namespace: blame.namespace ?? namespace, pod, container}
    return lastLogLines(client, place, ENDED.test(reason ?? ''))
  }

  /** The log of what has ended does not change, so one fetch for each end is enough. */
  function notedLog(blame: Blame): Promise<readonly string[]> {
    const key = [blame.namespace, blame.pod, blame.container].join('/')
    const end = `${key} ${blame.reason} ${blame.detail}`
    if (!logs.has(end)) {
      const before = logs.get(key)
      const fetched = fetchLog(blame).then(async (lines) =>
        lines.length > 0 ? lines : ((await before) ?? []),
      )
      logs.set(end, fetched)
      logs.set(key, fetched)
    }
    return logs.get(end) ?? Promise.resolve([])
  }

  async function explainOne(blame: Blame): Promise<Blame> {
    const [log, warned] = await Promise.all([freshOr(blame), warning(blame)])
    return redactBlame({...warned, ...(log.length > 0 && {log})}, redact)
  }

  async function freshOr(blame: Blame): Promise<readonly string[]> {
    const fresh = await fetchLog(blame)
    if (fresh.length > 0) return fresh
    return (await logs.get([blame.namespace, blame.pod, blame.container].join('/'))) ?? []
  }

  async function warning(blame: Blame): Promise<Blame> {
    if (!VAGUE.includes(blame.reason)) return blame
    const [kind = '', name = ''] = blame.pod ? ['Pod', blame.pod] : blame.object.split('/')
    const event = await lastWarning(client, {namespace: blame.namespace ?? namespace, kind, name})
    if (!event?.message) return blame
    return {...blame, reason: event.reason ?? blame.reason ?? 'Warning', detail: event.message}
  }

  return {
    note(blames) {
      for (const blame of blames) {
        if (!blame.pod || PASSING.includes(blame.reason ?? '')) continue
        noted.set(blame.object, blame)
        if (ENDED.test(blame.reason ?? '')) void notedLog(blame)
      }
    },
    async explain(blames) {
      const known = tellingFirst(blames.map((blame) => withPod(blame, noted.get(blame.object))))
      const explained = await Promise.all(known.slice(0, MOST_EXPLAINED).map(explainOne))
      return [...explained, ...known.slice(MOST_EXPLAINED)]
    },
  }
}

/** The pod that was last to blame, when the pods of the object are gone. */
function withPod(blame: Blame, noted: Blame | undefined): Blame {
  if (blame.pod || !noted) return blame
  const {pod, container, reason, detail} = noted
  return {
    ...blame,
    ...(pod && {pod}),
    ...(container && {container}),
    ...(reason && {reason}),
    ...(detail && {detail}),
  }
}

/** The container has ended at least once. */
const ENDED = /^(CrashLoopBackOff|Error|OOMKilled|ContainerCannotRun|DeadlineExceeded)$/

/** What has ended before what merely waits, which may be for just that; otherwise in the same order. */
export function tellingFirst(blames: readonly Blame[]): readonly Blame[] {
  const hasEnded = ({reason}: Blame) => ENDED.test(reason ?? '')
  return [...blames.filter(hasEnded), ...blames.filter((blame) => !hasEnded(blame))]
}

/** What a component says of an object: core/v1 Event. */
interface ObjectEvent {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly metadata: {readonly creationTimestamp?: string}
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

/** The newest warning about an object, e.g. a failed readiness probe; undefined when there is none to have. */
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
/** So many are read, for probes that fail fill a log with the same lines again and again. */
const READ = {tailLines: 300, limitBytes: 131_072}
/** Where these are cut at their end, for they are long. */
const SHORT = {tailLines: LINES, limitBytes: 16_384}
const TIMEOUT = 3_000
/** What a kubelet answers, with success, when it has removed the container already. */
const REMOVED = /^unable to retrieve container logs for /

interface ContainerPlace {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/**
 * The last lines of a container, of its run before when the current one has none yet; empty when there are none to have. Of
 * lines that differ in numbers only, such as those of a probe, the last.
 */
async function lastLogLines(
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

import {asKkError, type ExitCode, type KkError} from '../../base/errors.ts'
import {CONFIG_MAPS} from '../../kubernetes/api/resources.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {RunEvent} from '../../run/events.ts'
import {newWriter} from '../../run/writer.ts'

/** The result of a run in the cluster, for clients that follow it. */
export interface RunEnd {
  readonly exit: ExitCode
  /** Why the run did not start or was aborted. */
  readonly error?: Pick<KkError, 'code' | 'message' | 'hint' | 'log'> | undefined
}

/**
 * The events that the pods of a run in the cluster write, one after the other. For each release, only the
 * last progress event of each phase is kept, so that the size of the log depends only on the plan.
 */
export interface RunLog {
  /** Events with their numbers, which ascend and are unique. */
  readonly events: readonly (readonly [number, RunEvent])[]
  readonly end?: RunEnd | undefined
}

/** The key of the ConfigMap that holds the log. */
const KEY = 'log'
/** The size limit of a ConfigMap; the API server accepts slightly more. */
const MAX_CONFIG_MAP_BYTES = 900_000

/** Returns the log with one more event. */
export function withEvent({events, ...log}: RunLog, event: RunEvent): RunLog {
  const number = (events.at(-1)?.[0] ?? 0) + 1
  const remaining = events.filter(([, each]) => !isReplaced(each, event))
  return {...log, events: [...remaining, [number, event]]}
}

function isReplaced(before: RunEvent, event: RunEvent): boolean {
  return (
    before.type === 'release-progressed' &&
    event.type === 'release-progressed' &&
    before.release === event.release &&
    before.phase === event.phase
  )
}

/** Returns the data of the ConfigMap of a log. */
export function logData(log: RunLog): Readonly<Record<string, string>> {
  const text = JSON.stringify(log)
  if (Buffer.byteLength(text) <= MAX_CONFIG_MAP_BYTES) return {[KEY]: text}
  const short = log.events.filter(([, {type}]) => type !== 'release-progressed')
  return {[KEY]: JSON.stringify({...log, events: short})}
}

/** Returns the log in the data of a ConfigMap. */
export function logIn(object: unknown): RunLog {
  const {data} = (object ?? {}) as {readonly data?: Readonly<Record<string, string>>}
  return data?.[KEY] === undefined ? {events: []} : (JSON.parse(data[KEY]) as RunLog)
}

/** Returns the name of the ConfigMap that holds the log of a run. */
export function logName(run: string): string {
  return `kk-run-${run}-log`
}

/** The debounce interval: events within it are written together. */
const WRITE_DEBOUNCE_MS = 500

/** The log of a run while it is written. */
export interface RunLogWriter {
  /** The log as earlier pods of the run have written it. */
  readonly before: RunLog
  /** Adds an event; writes are debounced. */
  show(event: RunEvent): void
  /** Resolves when everything is written. */
  close(): Promise<void>
  /** Writes the result of the run. Returns the error if it could not be written. */
  end(end: RunEnd): Promise<KkError | undefined>
}

/** Opens the log of a run to append to it. */
export async function openRunLog(
  objects: Pick<Objects, 'read' | 'merge'>,
  namespace: string,
  run: string,
): Promise<RunLogWriter> {
  const place = {namespace, name: logName(run)}
  const before = logIn(await objects.read(CONFIG_MAPS, place))
  let log = before
  let timer: NodeJS.Timeout | undefined
  const writer = newWriter(() => objects.merge(CONFIG_MAPS, place, {data: logData(log)}))
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    await writer.last()
  }
  return {
    before,
    show(event) {
      log = withEvent(log, event)
      timer ??= setTimeout(() => {
        timer = undefined
        writer.request()
      }, WRITE_DEBOUNCE_MS)
    },
    close: flush,
    async end(end) {
      writer.takeTrouble()
      log = {...log, end}
      await flush()
      const trouble = writer.takeTrouble()
      return trouble === undefined ? undefined : asKkError(trouble)
    },
  }
}

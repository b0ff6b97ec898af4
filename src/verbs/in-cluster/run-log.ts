import {asKkError, type ExitCode, type KkError} from '../../base/errors.ts'
import {CONFIG_MAPS} from '../../kubernetes/api/resources.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {RunEvent} from '../../run/events.ts'
import {newWriter} from '../../run/writer.ts'

/** How a run in the cluster has ended, for whoever follows it. */
export interface RunEnd {
  readonly exit: ExitCode
  /** Why it has not come to a run, or broke off. */
  readonly error?: Pick<KkError, 'code' | 'message' | 'hint' | 'log'> | undefined
}

/**
 * What the pods of a run in the cluster tell of it, one after the other. Of what a release says while it is at work, only the
 * last of each phase is kept, so that the log of a long run is as large as its plan.
 */
export interface RunLog {
  /** Events by their numbers, which ascend and are never given twice. */
  readonly events: readonly (readonly [number, RunEvent])[]
  readonly end?: RunEnd | undefined
}

/** The key of the ConfigMap that holds the log. */
const KEY = 'log'
/** Of a ConfigMap; the API server takes a little more. */
const MOST_BYTES = 900_000

/** Returns the log with one more event. */
export function withEvent({events, ...log}: RunLog, event: RunEvent): RunLog {
  const number = (events.at(-1)?.[0] ?? 0) + 1
  const kept = events.filter(([, each]) => !isReplaced(each, event))
  return {...log, events: [...kept, [number, event]]}
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
  if (Buffer.byteLength(text) <= MOST_BYTES) return {[KEY]: text}
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

/** What happens within so many milliseconds is written at once. */
const TOGETHER = 500

/** The log of a run while it is written. */
export interface RunLogWriter {
  /** As the run had written it before. */
  readonly before: RunLog
  /** Takes note of an event, and writes it soon. */
  show(event: RunEvent): void
  /** Resolves when all is written. */
  close(): Promise<void>
  /** Writes how the run has ended. Returns what kept it from being written. */
  end(end: RunEnd): Promise<KkError | undefined>
}

/** Opens the log of a run to go on with it. */
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
      }, TOGETHER)
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

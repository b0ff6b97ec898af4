import {createHash} from 'node:crypto'
import {EVENTS} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {MANAGER} from './apply-cache.ts'
import {formatTime} from './crds/conditions.ts'
import {ENVIRONMENTS} from './crds/environment.ts'

/** The content of an Event. */
export interface EventContent {
  readonly type: 'Normal' | 'Warning'
  /** In CamelCase, as the reason of a condition. */
  readonly reason: string
  readonly message: string
}

/** An Environment or a Release. */
interface Subject {
  readonly kind: string
  readonly name: string
  readonly uid: string | undefined
}

/** Records Kubernetes Events. */
export interface EventRecorder {
  /** Writes an Event asynchronously; a repetition within a minute is only counted. */
  record(subject: Subject, happening: EventContent): void
}

interface EventRecorderOptions {
  /** The name of this process. */
  readonly instance: string
  /** Called if an Event could not be written. It is not retried: the conditions have the same content. */
  readonly onError: (error: unknown) => void
}

const DEDUPLICATION_WINDOW_MS = 60_000
const MAX_CACHED_EVENTS = 1_000
const MAX_MESSAGE_LENGTH = 1_000

export function newEventRecorder(
  objects: Pick<Objects, 'apply'>,
  {instance, onError}: EventRecorderOptions,
  clock: () => number = Date.now,
): EventRecorder {
  const written = new Map<string, {readonly first: number; last: number; count: number}>()
  return {
    record({kind, name, uid}, {type, reason, message}) {
      const now = clock()
      const key = createHash('sha256')
        .update(JSON.stringify([kind, name, uid, reason, message]))
        .digest('hex')
      const entry = written.get(key) ?? {first: now, last: Number.NEGATIVE_INFINITY, count: 0}
      entry.count += 1
      written.delete(key)
      written.set(key, entry)
      if (written.size > MAX_CACHED_EVENTS) written.delete(written.keys().next().value!)
      if (now - entry.last < DEDUPLICATION_WINDOW_MS) return
      entry.last = now
      const event = {
        apiVersion: EVENTS.apiVersion,
        kind: EVENTS.kind,
        metadata: {name: `${name}.${key.slice(0, 16)}`, namespace: KK_NAMESPACE},
        involvedObject: {
          ...{apiVersion: ENVIRONMENTS.apiVersion, kind, name, namespace: KK_NAMESPACE},
          ...(uid !== undefined && {uid}),
        },
        ...{type, reason, message: message.slice(0, MAX_MESSAGE_LENGTH), count: entry.count},
        firstTimestamp: formatTime(entry.first),
        lastTimestamp: formatTime(now),
        source: {component: MANAGER},
        reportingComponent: MANAGER,
        reportingInstance: instance.slice(0, 128),
      }
      objects.apply(EVENTS, event, {manager: MANAGER}).catch(onError)
    },
  }
}

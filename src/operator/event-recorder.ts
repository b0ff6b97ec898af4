import {createHash} from 'node:crypto'
import {EVENTS} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {MANAGER} from './apply-cache.ts'
import {formatTime} from './crds/conditions.ts'
import {ENVIRONMENTS} from './crds/environment.ts'

/** What has come to pass with an object. */
export interface EventContent {
  readonly type: 'Normal' | 'Warning'
  /** In one word, as a condition has it. */
  readonly reason: string
  readonly message: string
}

/** An Environment or a Release. */
interface Subject {
  readonly kind: string
  readonly name: string
  readonly uid: string | undefined
}

/** The Events of Kubernetes that the operator writes. */
export interface EventRecorder {
  /** Writes an Event, soon; the same again within a minute is only counted. */
  record(subject: Subject, happening: EventContent): void
}

interface EventRecorderOptions {
  /** The name of this process. */
  readonly instance: string
  /** Told of an Event that could not be written. It is lost: the conditions say the same. */
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
      const known = written.get(key) ?? {first: now, last: Number.NEGATIVE_INFINITY, count: 0}
      known.count += 1
      written.delete(key)
      written.set(key, known)
      if (written.size > MAX_CACHED_EVENTS) written.delete(written.keys().next().value!)
      if (now - known.last < DEDUPLICATION_WINDOW_MS) return
      known.last = now
      const event = {
        apiVersion: EVENTS.apiVersion,
        kind: EVENTS.kind,
        metadata: {name: `${name}.${key.slice(0, 16)}`, namespace: KK_NAMESPACE},
        involvedObject: {
          ...{apiVersion: ENVIRONMENTS.apiVersion, kind, name, namespace: KK_NAMESPACE},
          ...(uid !== undefined && {uid}),
        },
        ...{type, reason, message: message.slice(0, MAX_MESSAGE_LENGTH), count: known.count},
        firstTimestamp: formatTime(known.first),
        lastTimestamp: formatTime(now),
        source: {component: MANAGER},
        reportingComponent: MANAGER,
        reportingInstance: instance.slice(0, 128),
      }
      objects.apply(EVENTS, event, {manager: MANAGER}).catch(onError)
    },
  }
}

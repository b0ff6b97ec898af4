import {seconds} from '../../../base/duration.ts'
import type {Cause} from '../health.ts'
import type {ContainerStatus, Pod} from './observed.ts'

/**
 * The annotation of a pod with the time after its start in which a container may still fail, such as `200s`:
 * a program that exits at its first remote call, or after a timeout, is ready until then.
 */
const STABLE_AFTER = 'kk.openstack.org/stable-after'
/** The default of the annotation, in seconds. */
const DEFAULT_STABLE_AFTER_SECONDS = 30
/** Two restarts within this time are a crash loop, even if the container is ready. */
const LOOP_MILLISECONDS = 10 * 60_000
/** How long status shows a note about a restart. */
const NOTED_MILLISECONDS = 24 * 60 * 60_000

const RESTARTING = 'Restarting'
const STABILIZING = 'Stabilizing'
const RESTARTED = 'Restarted'

type ContainerCause = Omit<Cause, 'object' | 'namespace'>

/**
 * A container that is not stable yet; `until` is when it becomes stable without another event, in
 * milliseconds since the epoch, or Infinity.
 */
interface Unstable {
  readonly cause: ContainerCause
  readonly until: number
}

/** The containers of pods that are not stable yet, and notes on restarts. */
export interface Stability {
  /** The worst first. */
  readonly unstable: readonly Unstable[]
  /** Restarts that are worth a note. */
  readonly notes: readonly ContainerCause[]
}

/**
 * Returns whether the containers of pods have been up for long enough, at the time `now` of the cluster's
 * clock.
 */
export function stability(pods: readonly Pod[], now: number): Stability {
  const running = pods
    .filter(({metadata}) => metadata.deletionTimestamp === undefined)
    .flatMap((pod) => longRunning(pod).map((status) => ({pod, status})))
  const judged = running.map(({pod, status}) => judge(pod, status, now))
  const unstable = judged.flatMap((each) => (each && 'until' in each ? [each] : []))
  return {
    unstable: unstable.sort((one, other) => rank(one) - rank(other) || other.until - one.until),
    notes: judged.flatMap((each) => (each && 'note' in each ? [each.note] : [])),
  }
}

function rank({cause}: Unstable): number {
  return cause.reason === RESTARTING ? 0 : 1
}

/** Returns the containers of a pod that run as long as the pod: its own, and its sidecars. */
function longRunning({spec, status}: Pod): readonly ContainerStatus[] {
  const sidecars = (spec?.initContainers ?? [])
    .filter(({restartPolicy}) => restartPolicy === 'Always')
    .map(({name}) => name)
  return [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({name}) => sidecars.includes(name)),
  ]
}

function judge(
  pod: Pod,
  container: ContainerStatus,
  now: number,
): Unstable | {readonly note: ContainerCause} | undefined {
  const {name, restartCount = 0, state, lastState} = container
  const at = {pod: pod.metadata.name, container: name}
  const startedAt = time(state?.running?.startedAt)
  if (startedAt === undefined) {
    if (!hasCrashed(pod, container)) return undefined
    const message = `restarting (${restartWords(pod, container, now)})`
    return {cause: {...at, reason: RESTARTING, message}, until: Infinity}
  }
  const age = now - startedAt
  // The previous run of the container started at the restart before the last one.
  const before = restartCount >= 2 ? time(lastState?.terminated?.startedAt) : undefined
  const loopEnds = before === undefined ? 0 : before + LOOP_MILLISECONDS
  const annotated = stableSeconds(pod.metadata.annotations)
  const stableAt = startedAt + (annotated ?? DEFAULT_STABLE_AFTER_SECONDS) * 1000
  if (restartCount > 0) {
    const until = Math.max(loopEnds, stableAt)
    const words = restartWords(pod, container, now)
    if (until > now) return {cause: {...at, reason: RESTARTING, message: `restarting (${words})`}, until}
    if (age < NOTED_MILLISECONDS)
      return {note: {...at, reason: RESTARTED, message: `it restarted ${span(age)} ago (${words})`}}
  }
  if (annotated === undefined || stableAt <= now) return undefined
  // The times are absolute, because the line stays on display.
  const message = `it started at ${clock(startedAt)}, and may fail until ${clock(stableAt)} UTC`
  return {cause: {...at, reason: STABILIZING, message}, until: stableAt}
}

/**
 * Returns for how long a pod must have run before its gate passes, in seconds, if its annotations state it.
 */
export function stableSeconds(annotations: Readonly<Record<string, string>> = {}): number | undefined {
  return seconds(annotations[STABLE_AFTER] ?? '')
}

/**
 * Returns whether a container that ran has ended, and the kubelet will start it again. The pod says so before
 * the controller counts it as unavailable.
 */
function hasCrashed({status}: Pod, {restartCount = 0, state}: ContainerStatus): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false
  return state?.terminated !== undefined || (state?.waiting !== undefined && restartCount > 0)
}

/**
 * Returns the number of restarts, the time span, and how the container last exited: `4 times in 12 min, last:
 * exit 1`.
 */
function restartWords(pod: Pod, {restartCount, state, lastState}: ContainerStatus, now: number): string {
  const since = time(pod.status?.startTime ?? pod.metadata.creationTimestamp)
  const times = countTimes(Math.max(restartCount, 1))
  const {exitCode, reason, message = ''} = state?.terminated ?? lastState?.terminated ?? {}
  const lastLine = message.trim().split('\n').at(-1)?.trim()
  const ends = [
    exitCode === undefined ? undefined : `exit ${exitCode}`,
    reason === 'Error' || reason === 'Completed' ? undefined : reason,
    lastLine ? `'${lastLine}'` : undefined,
  ].filter((word) => word !== undefined)
  return [
    since === undefined ? times : `${times} in ${span(now - since)}`,
    ...(ends.length > 0 ? [`last: ${ends.join(', ')}`] : []),
  ].join(', ')
}

/** Returns a number of restarts in words: `once`, `4 times`. */
export function countTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function span(milliseconds: number): string {
  const count = Math.max(0, Math.round(milliseconds / 1000))
  if (count < 300) return `${count} s`
  const minutes = Math.round(count / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** Returns the time of day in UTC: `14:03:21`. */
function clock(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 19)
}

function time(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

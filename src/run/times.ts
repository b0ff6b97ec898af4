import type {Cause} from '../kubernetes/gate/health.ts'
import type {ReleaseId} from '../release.ts'
import type {RunEvent} from './events.ts'

/** A part of an action, from its first progress event to the first one of the next part. */
export interface Phase {
  readonly phase: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Milliseconds since the epoch; undefined while it lasts. */
  readonly until: number | undefined
}

/** The times of a release, all in milliseconds since the epoch. */
export interface Times {
  /** Undefined until its action has started, and for a skipped or unchanged release. */
  readonly startedAt: number | undefined
  /** Undefined until it has succeeded, failed or been skipped. */
  readonly endedAt: number | undefined
  /** In order; a phase can occur several times. */
  readonly phases: readonly Phase[]
  /** The same periods by what was awaited; see `partOf`. */
  readonly parts: readonly Phase[]
}

export const NO_TIMES: Times = {startedAt: undefined, endedAt: undefined, phases: [], parts: []}

/** Returns the times after one more event of the release. */
export function nextTimes(before: Times, event: Extract<RunEvent, {readonly release: ReleaseId}>): Times {
  const {at} = event
  switch (event.type) {
    case 'release-started':
      return {...NO_TIMES, startedAt: at}
    case 'release-progressed':
      if (before.startedAt === undefined) return before
      return {
        ...before,
        phases: enterPhase(before.phases, event.phase, at),
        parts: enterPhase(before.parts, partOf(event), at),
      }
    case 'object-deleted':
    case 'release-tested':
      return before
    case 'release-succeeded':
    case 'release-failed':
    case 'release-skipped':
      return {
        ...before,
        endedAt: at,
        phases: closePhases(before.phases, at),
        parts: closePhases(before.parts, at),
      }
  }
}

function enterPhase(phases: readonly Phase[], phase: string, at: number): readonly Phase[] {
  if (phases.at(-1)?.phase === phase) return phases
  return [...closePhases(phases, at), {phase, since: at, until: undefined}]
}

function closePhases(phases: readonly Phase[], at: number): readonly Phase[] {
  return phases.map((phase) => (phase.until === undefined ? {...phase, until: at} : phase))
}

/** What an action spends its time on; `containers`: pulling images and mounting volumes. */
export type Part = 'helm' | 'containers' | 'jobs' | 'pods'

/** Kubernetes' reasons for a container that does not exist yet. */
const CREATING = /^(?:ContainerCreating|ErrImagePull|ImagePullBackOff)$/

/** Returns what an action waits for. Pods wait for Jobs, so Jobs have precedence. */
export function partOf({phase, blames = []}: Extract<RunEvent, {type: 'release-progressed'}>): Part {
  if (phase !== 'gate') return 'helm'
  const jobs = blames.filter(({object}) => object.startsWith('Job/'))
  const waited = jobs.length > 0 ? jobs : blames
  if (waited.some(isCreating)) return 'containers'
  return jobs.length > 0 ? 'jobs' : 'pods'
}

function isCreating({reason = '', detail}: Cause): boolean {
  return CREATING.test(reason) || (reason === 'PodInitializing' && !detail?.includes('still running'))
}

import type {Cause} from '../kubernetes/gate/health.ts'
import type {ReleaseId} from '../release.ts'
import type {RunEvent} from './events.ts'

/** A part of an action, from the first word of its progress to the first of the next part's. */
export interface Phase {
  readonly phase: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Milliseconds since the epoch; undefined while it lasts. */
  readonly until: number | undefined
}

/** When what happened to a release; all in milliseconds since the epoch. */
export interface Times {
  /** Undefined until its action has started; a skipped or unchanged release has none. */
  readonly startedAt: number | undefined
  /** Undefined until it has succeeded, failed or been skipped. */
  readonly endedAt: number | undefined
  /** In their order; a phase that came back is there again. */
  readonly phases: readonly Phase[]
  /** The same by what was waited for; see `partOf`. */
  readonly parts: readonly Phase[]
}

export const NO_TIMES: Times = {startedAt: undefined, endedAt: undefined, phases: [], parts: []}

/** The times after one more event of the release. */
export function nextTimes(before: Times, event: Extract<RunEvent, {readonly release: ReleaseId}>): Times {
  const {at} = event
  switch (event.type) {
    case 'release-started':
      return {...NO_TIMES, startedAt: at}
    case 'release-progressed':
      if (before.startedAt === undefined) return before
      return {
        ...before,
        phases: entered(before.phases, event.phase, at),
        parts: entered(before.parts, partOf(event), at),
      }
    case 'object-deleted':
    case 'release-tested':
      return before
    case 'release-succeeded':
    case 'release-failed':
    case 'release-skipped':
      return {...before, endedAt: at, phases: closed(before.phases, at), parts: closed(before.parts, at)}
  }
}

function entered(phases: readonly Phase[], phase: string, at: number): readonly Phase[] {
  if (phases.at(-1)?.phase === phase) return phases
  return [...closed(phases, at), {phase, since: at, until: undefined}]
}

function closed(phases: readonly Phase[], at: number): readonly Phase[] {
  return phases.map((phase) => (phase.until === undefined ? {...phase, until: at} : phase))
}

/** Where the time of an action goes: `containers` are being made, which fetches images and mounts volumes. */
export type Part = 'helm' | 'containers' | 'jobs' | 'pods'

/** Kubernetes' words for a container that is not there yet. */
const MAKING = /^(?:ContainerCreating|ErrImagePull|ImagePullBackOff)$/

/** What an action waits for now. Pods wait for Jobs, so that these count first. */
export function partOf({phase, blames = []}: Extract<RunEvent, {type: 'release-progressed'}>): Part {
  if (phase !== 'gate') return 'helm'
  const jobs = blames.filter(({object}) => object.startsWith('Job/'))
  const waited = jobs.length > 0 ? jobs : blames
  if (waited.some(isMaking)) return 'containers'
  return jobs.length > 0 ? 'jobs' : 'pods'
}

function isMaking({reason = '', detail}: Cause): boolean {
  return MAKING.test(reason) || (reason === 'PodInitializing' && !detail?.includes('still running'))
}

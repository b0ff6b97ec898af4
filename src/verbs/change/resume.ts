import {KkError} from '../../base/errors.ts'
import type {RunRecord, RunRelease} from '../../kubernetes/records/runs.ts'
import type {Plan} from '../../plan/plan.ts'
import {releaseName} from '../../release.ts'
import {makesRevisions} from './rollback.ts'

/** What `kk resume` finds when no run is named. */
export type Resumable = {readonly kind: 'unfinished'; readonly run: RunRecord} | NothingToResume

interface NothingToResume {
  readonly kind: 'nothing'
  /** It succeeded. */
  readonly last: RunRecord
  /** The failed run that `last` undid, by a rollback or a removal. */
  readonly undone: RunRecord | undefined
  /** A run before `last` that did not succeed, and that no later one went on with or undid. */
  readonly older: RunRecord | undefined
}

/**
 * The last run of these, unless it has succeeded: what one before it left undone was wanted before somebody wanted
 * something else, so it is gone on with only when it is named. The newest comes first. An adoption is begun again by its own
 * verb. Throws `KK_NO_RUN`.
 */
export function runToResume(runs: readonly RunRecord[], environment: string): Resumable {
  const [last, ...before] = runs.filter(makesRevisions)
  if (!last) {
    throw new KkError('KK_NO_RUN', `the cluster has no record of a run of the environment "${environment}"`, {
      hint: 'see kk history --all; to bring the environment to the cluster: kk deploy',
    })
  }
  if (last.outcome !== 'succeeded') return {kind: 'unfinished', run: last}
  const followed = new Set(runs.map(({of}) => of))
  const isDone = (run: RunRecord) => isDoneSince(run, runs.slice(0, runs.indexOf(run)))
  const older = before.find((run) => run.outcome !== 'succeeded' && !followed.has(run.id) && !isDone(run))
  const undone = UNDOING.has(last.verb)
    ? before.find((run) => run.id === last.of && run.outcome !== 'succeeded' && !UNDOING.has(run.verb))
    : undefined
  return {kind: 'nothing', last, undone, older}
}

/** Whether later runs have done all that a run was to do, of the same inputs. */
function isDoneSince({releases}: RunRecord, later: readonly RunRecord[]): boolean {
  const done = later.flatMap((run) => run.releases.filter(({outcome}) => outcome === 'succeeded'))
  const isDone = ({release, inputs, outcome}: RunRelease) =>
    outcome === 'succeeded' || done.some((each) => each.release === release && each.inputs === inputs)
  const changing = releases.filter(({kind}) => CHANGING.has(kind))
  return changing.length > 0 && changing.every(isDone)
}

const UNDOING: ReadonlySet<string> = new Set(['rollback', 'remove'])

/**
 * Throws `KK_MOVED`, naming every release, when the environment wants something else than the run was to do; `anew` is the
 * command that does what it wants now.
 */
export function expectSameInputs(run: RunRecord, plan: Plan, anew: string): void {
  const planned = new Map(plan.actions.map((action) => [action.release, action]))
  const recorded = new Map(run.releases.map((entry) => [entry.release, entry]))
  const moved = [
    ...plan.actions
      .filter(({release, kind}) => CHANGING.has(kind) && !recorded.has(release))
      .map(({release}) => `${releaseName(release)} (was not to be changed)`),
    ...run.releases
      .filter(({kind}) => CHANGING.has(kind))
      .flatMap(({release, inputs}) => {
        const action = planned.get(release)
        if (!action) return [`${releaseName(release)} (is not part of it any more)`]
        return action.inputs === inputs ? [] : [`${releaseName(release)} (its inputs changed)`]
      }),
  ]
  if (moved.length === 0) return
  throw new KkError(
    'KK_MOVED',
    `what run ${run.id} was to do is not what ${plan.file} says now: ${moved.join(', ')}`,
    {
      hint: `bring the file, its charts, --values and --set back to what they were at that run, or begin anew: ${anew}`,
    },
  )
}

const CHANGING: ReadonlySet<string> = new Set(['install', 'upgrade', 'relabel', 'await'])

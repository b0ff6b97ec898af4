import type {RunRecord} from '../../cluster/runs/run-record.ts'
import {KkError} from '../../errors.ts'
import type {Plan} from '../../plan/plan.ts'
import type {RollbackTarget} from '../../plan/rollback/targets.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {makesRevisions} from './rollback.ts'

/**
 * The last run of these that has not succeeded, and that no later run went on with or undid; the newest comes first. An
 * adoption is begun again by its own verb.
 * Throws `KK_NO_RUN`.
 */
export function runToResume(runs: readonly RunRecord[], environment: string): RunRecord {
  const followed = new Set(runs.map(({of}) => of))
  const found = runs.find(
    (run) => run.outcome !== 'succeeded' && !followed.has(run.id) && makesRevisions(run),
  )
  if (found) return found
  throw new KkError('KK_NO_RUN', `no run of the environment "${environment}" is unfinished`, {
    hint: 'see kk history; to bring what differs to the cluster: kk deploy',
  })
}

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

/** Where the releases of a rollback were to return to. */
export function targetsOfRollback(run: RunRecord): readonly RollbackTarget[] {
  return run.releases.flatMap(({release, target}: {release: ReleaseId; target?: number}) =>
    target === undefined
      ? []
      : [{release, revision: target, reason: `back to revision ${target}: goes on with run ${run.id}`}],
  )
}

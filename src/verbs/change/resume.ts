import {KkError} from '../../base/errors.ts'
import type {RunRecord, RunRelease} from '../../kubernetes/records/runs.ts'
import type {Plan} from '../../plan/plan.ts'
import {releaseName} from '../../release.ts'
import {makesRevisions} from './rollback.ts'

/** The result of `kk resume` without a named run. */
export type Resumable = {readonly kind: 'unfinished'; readonly run: RunRecord} | NothingToResume

interface NothingToResume {
  readonly kind: 'nothing'
  /** The last run, which succeeded. */
  readonly last: RunRecord
  /** The failed run that `last` undid, by a rollback or a removal. */
  readonly undone: RunRecord | undefined
  /** A run before `last` that did not succeed, and that no later run resumed or undid. */
  readonly older: RunRecord | undefined
}

/**
 * Returns the last of these runs, unless it has succeeded: an earlier unfinished run was superseded by later
 * ones, so it is resumed only by name. The newest run comes first. An adoption is repeated by its own verb.
 * Throws `KK_NO_RUN`.
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
  const undone = UNDOING_VERBS.has(last.verb)
    ? before.find((run) => run.id === last.of && run.outcome !== 'succeeded' && !UNDOING_VERBS.has(run.verb))
    : undefined
  return {kind: 'nothing', last, undone, older}
}

/** Whether later runs have completed all releases of a run, with the same inputs. */
function isDoneSince({releases}: RunRecord, later: readonly RunRecord[]): boolean {
  const done = later.flatMap((run) => run.releases.filter(({outcome}) => outcome === 'succeeded'))
  const isDone = ({release, inputs, outcome}: RunRelease) =>
    outcome === 'succeeded' || done.some((each) => each.release === release && each.inputs === inputs)
  const changing = releases.filter(({kind}) => CHANGING_KINDS.has(kind))
  return changing.length > 0 && changing.every(isDone)
}

const UNDOING_VERBS: ReadonlySet<string> = new Set(['rollback', 'remove'])

/**
 * Throws `KK_MOVED` with every release whose inputs differ from those of the run; `command` is the one that
 * deploys the present inputs.
 */
export function expectSameInputs(run: RunRecord, plan: Plan, command: string): void {
  const planned = new Map(plan.actions.map((action) => [action.release, action]))
  const recorded = new Map(run.releases.map((entry) => [entry.release, entry]))
  const moved = [
    ...plan.actions
      .filter(({release, kind}) => CHANGING_KINDS.has(kind) && !recorded.has(release))
      .map(({release}) => `${releaseName(release)} (was not part of the run)`),
    ...run.releases
      .filter(({kind}) => CHANGING_KINDS.has(kind))
      .flatMap(({release, inputs}) => {
        const action = planned.get(release)
        if (!action) return [`${releaseName(release)} (is no longer part of the plan)`]
        return action.inputs === inputs ? [] : [`${releaseName(release)} (its inputs changed)`]
      }),
  ]
  if (moved.length === 0) return
  throw new KkError('KK_MOVED', `${plan.file} no longer matches run ${run.id}: ${moved.join(', ')}`, {
    hint: `restore the file, its charts, --values and --set as they were at that run, or start again: ${command}`,
  })
}

const CHANGING_KINDS: ReadonlySet<string> = new Set(['install', 'upgrade', 'relabel', 'await'])

import {KkError} from '../../base/errors.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/** The request for a run in the cluster. */
export interface RunRequest {
  /** The version of the requesting kk. */
  readonly kk: string
  /** The run's id. */
  readonly id: string
  readonly verb: string
  readonly scope: PlanScope
  /** The environment file as the user wrote it. */
  readonly file: string
  /** The requesting user, as `user@host`. */
  readonly who: string
  /** The options of the run by flag name, including `--set`. */
  readonly flags: Readonly<Record<string, unknown>>
  /** The names of releases in the order of the files of their `--values`. */
  readonly values: readonly string[]
  /** Whether the cluster is a throwaway one, which may be used with any override store. */
  readonly isThrowaway: boolean
  /** The planned actions that were shown to the user. */
  readonly planned: readonly Pick<Action, 'release' | 'kind' | 'inputs'>[]
}

/** The names of the files of a run in the cluster; those of `--values` are `valuesFile`s. */
export const REQUEST_FILE = 'run.json'
export const ENVIRONMENT_FILE = 'environment.yaml'
export const OVERRIDES_FILE = 'overrides.yaml'
export const FACTS_FILE = 'facts.yaml'
export const LOCK_FILE = 'kk.lock'

export function valuesFile(index: number): string {
  return `values-${index}.yaml`
}

/** Returns the actions of a plan in the form of a request. */
export function plannedActions({actions}: Plan): RunRequest['planned'] {
  return actions.map(({release, kind, inputs}) => ({release, kind, inputs}))
}

/**
 * Throws `KK_MOVED`, naming every release, if the kk of the image plans something else than was shown to the
 * user.
 */
export function expectSamePlan({planned, kk, file}: RunRequest, plan: Plan, version: string): void {
  const shown = new Map(planned.map((action) => [action.release, action]))
  const now = new Map(plan.actions.map((action) => [action.release, action]))
  const moved = [...new Set<ReleaseId>([...shown.keys(), ...now.keys()])].flatMap((release) => {
    const [then, action] = [shown.get(release), now.get(release)]
    if (!then) return [`${releaseName(release)} (was not part of it)`]
    if (!action) return [`${releaseName(release)} (is no longer part of it)`]
    return then.inputs === action.inputs ? [] : [`${releaseName(release)} (has other inputs)`]
  })
  if (moved.length === 0) return
  throw new KkError(
    'KK_MOVED',
    `in the cluster, kk ${version} plans something else for ${file} than kk ${kk} has shown: ${moved.join(', ')}; nothing was changed`,
    {
      hint: 'use an image of the same kk, whose charts are those of the plan, or charts by a repository or oci://',
    },
  )
}

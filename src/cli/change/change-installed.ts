import type {ExitCode} from '../../errors.ts'
import type {ChangeVerb} from '../../plan/changes/change-verb.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {type Change, change} from './change.ts'

/** A verb that changes what is installed: the releases that the arguments name, or all, and nothing new. */
export function changeInstalled(
  verb: Exclude<ChangeVerb, 'deploy'>,
  options: Pick<Change, 'flags' | 'argv' | 'words'>,
  more: Pick<PlanScope, 'correctDrift'> = {},
): Promise<ExitCode> {
  const scope = (names: readonly string[]) => ({names, install: false, ...more})
  return change({verb, ...options, scope, startSandbox: false})
}

/** What the flags say of drift. */
export function driftScope(flags: {
  readonly 'correct-drift'?: boolean
  readonly 'force-conflicts'?: boolean
}): Pick<PlanScope, 'correctDrift'> {
  return flags['correct-drift'] ? {correctDrift: {forceConflicts: flags['force-conflicts'] ?? false}} : {}
}

import type {ReleaseId} from '../../release.ts'
import {type Action, hasChanges, type Plan} from '../plan.ts'
import type {ChangeKind} from './change-kind.ts'
import {sufficientVerb} from './sufficient-verb.ts'

/**
 * The plan with what each action changes, and the narrowest verb that would do all of it. `upgrades` has the changes of
 * the releases that are upgraded; of the others the kind of the action tells.
 */
export function withChanges(plan: Plan, upgrades: ReadonlyMap<ReleaseId, readonly ChangeKind[]>): Plan {
  const actions = plan.actions.map(
    (action): Action => ({...action, changes: upgrades.get(action.release) ?? changesOfKind(action)}),
  )
  if (!hasChanges(plan)) return {...plan, actions}
  return {...plan, actions, suffices: sufficientVerb(actions.flatMap(({changes = []}) => changes))}
}

function changesOfKind({kind}: Action): readonly ChangeKind[] {
  if (kind === 'install') return ['new-release']
  return kind === 'relabel' ? ['standing'] : []
}

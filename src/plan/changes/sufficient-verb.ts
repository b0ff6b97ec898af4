import type {ChangeKind} from './change-kind.ts'
import {beyond, CHANGE_VERBS, type ChangeVerb} from './verb-table.ts'

/** The narrowest verb that makes all of these changes; of none: the narrowest of all. */
export function sufficientVerb(changes: readonly ChangeKind[]): ChangeVerb {
  return CHANGE_VERBS.find((verb) => beyond(verb, changes).length === 0) ?? 'deploy'
}

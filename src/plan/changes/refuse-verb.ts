import {KkError} from '../../errors.ts'
import type {Plan} from '../plan.ts'
import {CHANGE_WORDS} from './change-kind.ts'
import {sufficientVerb} from './sufficient-verb.ts'
import {beyond, type ChangeVerb} from './verb-table.ts'

/** Throws `KK_VERB`, naming every release with what the verb would not make, and the verb that would make it. */
export function expectVerb(plan: Plan, verb: ChangeVerb): void {
  const offenders = plan.actions.flatMap(({release, changes = []}) => {
    const found = beyond(verb, changes)
    return found.length === 0 ? [] : [{release, found}]
  })
  if (offenders.length === 0) return
  const needed = sufficientVerb(offenders.flatMap(({found}) => found))
  const lines = offenders.map(
    ({release, found}) => `  ${release}: ${found.map((change) => CHANGE_WORDS[change]).join(', ')}`,
  )
  throw refusedVerb(verb, needed, lines)
}

/** `KK_VERB`; each line is a release with what changes in it. */
export function refusedVerb(verb: ChangeVerb, needed: ChangeVerb, lines: readonly string[]): KkError {
  return new KkError('KK_VERB', [`kk ${verb} does not make these changes:`, ...lines].join('\n'), {
    hint: `nothing was changed; this is what kk ${needed} is for`,
  })
}

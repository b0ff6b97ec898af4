import {KkError} from '../../base/errors.ts'
import type {ReleaseId} from '../../release.ts'
import {CHANGE_WORDS, type ChangeKind} from './change-kind.ts'

/** Returns the narrowest verb that makes all of these changes; without changes, the narrowest verb. */
export function sufficientVerb(changes: readonly ChangeKind[]): ChangeVerb {
  return CHANGE_VERBS.find((verb) => excludedChanges(verb, changes).length === 0) ?? 'deploy'
}

/** The verbs that change releases, from the narrowest to the widest. */
export const CHANGE_VERBS = ['reconfigure', 'update', 'upgrade', 'deploy'] as const
export type ChangeVerb = (typeof CHANGE_VERBS)[number]

/**
 * The changes that each verb makes beyond those of the narrower ones; verbs that do not install skip new
 * releases.
 */
const MAKES: Readonly<Record<ChangeVerb, readonly ChangeKind[]>> = {
  reconfigure: ['values', 'standing'],
  update: ['image', 'chart-content'],
  upgrade: ['openstack-release', 'chart-version', 'app-version'],
  deploy: ['new-release'],
}

/** Returns true for the name of a verb that changes releases. */
export function isChangeVerb(word: string): word is ChangeVerb {
  return (CHANGE_VERBS as readonly string[]).includes(word)
}

/** Returns the changes that the verb does not make. */
export function excludedChanges(verb: ChangeVerb, changes: readonly ChangeKind[]): readonly ChangeKind[] {
  const covered = CHANGE_VERBS.slice(0, CHANGE_VERBS.indexOf(verb) + 1).flatMap((each) => MAKES[each])
  return changes.filter((change) => !covered.includes(change))
}

/** The part of a plan that decides which verb it needs. */
interface Changes {
  readonly actions: readonly {readonly release: ReleaseId; readonly changes?: readonly ChangeKind[]}[]
}

/**
 * Throws `KK_VERB` with each release and the changes that the verb does not make, and the verb that makes
 * them.
 */
export function expectVerb({actions}: Changes, verb: ChangeVerb): void {
  const offenders = actions.flatMap(({release, changes = []}) => {
    const refused = excludedChanges(verb, changes)
    return refused.length === 0 ? [] : [{release, refused}]
  })
  if (offenders.length === 0) return
  const needed = sufficientVerb(offenders.flatMap(({refused}) => refused))
  const lines = offenders.map(
    ({release, refused}) => `  ${release}: ${refused.map((change) => CHANGE_WORDS[change]).join(', ')}`,
  )
  throw refusedVerb(verb, needed, lines)
}

/** Returns `KK_VERB`. Each line is a release with its changes. */
export function refusedVerb(verb: ChangeVerb, needed: ChangeVerb, lines: readonly string[]): KkError {
  return new KkError('KK_VERB', [`kk ${verb} does not make these changes:`, ...lines].join('\n'), {
    hint: `nothing was changed; this is what kk ${needed} is for`,
  })
}

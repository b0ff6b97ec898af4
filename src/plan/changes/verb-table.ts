import type {ChangeKind} from './change-kind.ts'

/** The verbs that change releases, from the narrowest to the widest. */
export const CHANGE_VERBS = ['reconfigure', 'update', 'upgrade', 'deploy'] as const
export type ChangeVerb = (typeof CHANGE_VERBS)[number]

/**
 * Which verb makes which change. What a verb does not make it refuses; but a new release is left out by all verbs that
 * do not install.
 */
export const VERB_TABLE = {
  reconfigure: {
    values: true,
    image: false,
    'chart-content': false,
    'chart-version': false,
    'app-version': false,
    standing: true,
    'new-release': false,
  },
  update: {
    values: true,
    image: true,
    'chart-content': true,
    'chart-version': false,
    'app-version': false,
    standing: true,
    'new-release': false,
  },
  upgrade: {
    values: true,
    image: true,
    'chart-content': true,
    'chart-version': true,
    'app-version': true,
    standing: true,
    'new-release': false,
  },
  deploy: {
    values: true,
    image: true,
    'chart-content': true,
    'chart-version': true,
    'app-version': true,
    standing: true,
    'new-release': true,
  },
} as const satisfies Record<ChangeVerb, Record<ChangeKind, boolean>>

/** Whether a word names one of the verbs. */
export function isChangeVerb(word: string): word is ChangeVerb {
  return (CHANGE_VERBS as readonly string[]).includes(word)
}

/** Those of the changes that the verb does not make. */
export function beyond(verb: ChangeVerb, changes: readonly ChangeKind[]): readonly ChangeKind[] {
  return changes.filter((change) => !VERB_TABLE[verb][change])
}

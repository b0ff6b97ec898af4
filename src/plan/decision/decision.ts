import type {Action, DeployKind, KindFacts} from '../plan.ts'

/** The decision what is to be done with one release, and why. */
export type Decision = {
  [K in DeployKind]: Pick<Action<K>, 'kind' | 'reasons'> & Omit<KindFacts<K>, 'installed'>
}[DeployKind]

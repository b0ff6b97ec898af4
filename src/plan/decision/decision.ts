import type {Action, DeployKind, KindFacts} from '../plan.ts'

/** The action on one release, with the reasons. */
export type Decision = {
  [K in DeployKind]: Pick<Action<K>, 'kind' | 'reasons'> & Omit<KindFacts<K>, 'installed'>
}[DeployKind]

/** The verbs that need rights of their own; `ALIKE` has the others. */
export type NeedingVerb =
  | 'status'
  | 'plan'
  | 'history'
  | 'drift'
  | 'drift --prune'
  | 'test'
  | 'deploy'
  | 'rollback'
  | 'unlock'
  | 'remove'
  | 'orphans'
  | 'guard install'
  | 'guard approve'
  | 'doctor'
  | 'secrets list'
  | 'secrets import'
  | 'secrets rotate'
  | 'facts'

/** Verbs that need the same rights as another. */
export const ALIKE: Partial<Readonly<Record<NeedingVerb, readonly string[]>>> = {
  deploy: ['update', 'upgrade', 'reconfigure', 'apply', 'adopt', 'resume'],
  remove: ['destroy'],
  history: ['import'],
  plan: ['doctor charts'],
  'guard install': ['guard status', 'guard remove'],
}

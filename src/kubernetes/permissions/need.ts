/** Rights on a resource, and their purpose. */
export interface Need {
  /** The API group; empty for the core. */
  readonly group: string
  /** The plural, with a subresource if there is one: `pods/log`. */
  readonly resource: string
  readonly verbs: readonly string[]
  /**
   * The scope of the right. `cluster`: cluster-scoped objects, or all namespaces at once.
   * `kk-system`: the namespace of Leases and records of runs. `release`: the namespace of each release.
   */
  readonly where: 'cluster' | 'kk-system' | 'release'
  /** The names, if the right is limited to these objects. */
  readonly names?: readonly string[]
  /** The purpose, for display. */
  readonly why: string
  /** What the verb does without the right, for display; if omitted, the verb fails. */
  readonly without?: string
}

/** The verbs with separate rights; `EQUIVALENT_VERBS` has the others. */
export type NeedingVerb =
  | 'status'
  | 'plan'
  | 'plan --upgrade-checks'
  | 'history'
  | 'drift'
  | 'drift --prune'
  | 'test'
  | 'deploy'
  | 'adopt'
  | 'rollback'
  | 'unlock'
  | 'remove'
  | 'orphans'
  | 'guard install'
  | 'guard approve'
  | 'audit'
  | 'logs'
  | 'node drain'
  | 'doctor'
  | 'secrets list'
  | 'secrets import'
  | 'secrets rotate'
  | 'facts'
  | 'deploy --in-cluster'
  | 'run follow'
  | 'operator install'
  | 'operator run'
  | 'operator run elsewhere'
  | 'operator run --role child'
  | 'operator adopt'
  | 'operator follow'
  | 'deploy --via operator'
  | 'operator pause'
  | 'operator status'

/** Verbs that need the same rights as another. */
export const EQUIVALENT_VERBS: Partial<Readonly<Record<NeedingVerb, readonly string[]>>> = {
  deploy: [
    'update',
    'upgrade',
    'reconfigure',
    'apply',
    'resume',
    'run start',
    'kolla run',
    'kolla bootstrap',
  ],
  adopt: ['export --hand-over'],
  audit: ['status --versions'],
  'run follow': ['run list'],
  'deploy --via operator': ['upgrade --via operator'],
  remove: ['destroy', 'kolla kill'],
  history: ['import'],
  'node drain': [
    'node list',
    'node evacuate',
    'node return',
    'node remove',
    'node add',
    'node replace',
    'node roll',
  ],
  'secrets list': ['secrets show'],
  plan: ['check', 'render', 'openrc', 'charts lock', 'images list', 'images mirror', 'export'],
  'guard install': ['guard status', 'guard remove'],
  'operator install': ['operator uninstall'],
  'operator pause': ['operator resume', 'operator approve', 'operator retry'],
  'operator status': ['fleet status', 'fleet plan'],
}

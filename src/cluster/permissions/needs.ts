/**
 * What each verb of kk asks of the Kubernetes API, its helm included. Documentation, `kk doctor` and the tests of least
 * privilege are made from this table.
 */
export interface Need {
  /** The API group; empty for the core. */
  readonly group: string
  /** The plural, with a subresource where there is one: `pods/log`. */
  readonly resource: string
  readonly verbs: readonly string[]
  /**
   * `cluster`: what lies in no namespace, or all namespaces at once. `kk-system`: where kk keeps Leases and records of
   * runs. `release`: the namespace of each release.
   */
  readonly where: 'cluster' | 'kk-system' | 'release'
  /** Only the objects of these names. */
  readonly names?: readonly string[]
  /** For people: what it is needed for. */
  readonly why: string
  /** For people: how the verb goes on without; where this is missing, it does not. */
  readonly without?: string
}

export type NeedingVerb =
  | 'status'
  | 'plan'
  | 'history'
  | 'deploy'
  | 'rollback'
  | 'remove'
  | 'guard'
  | 'doctor'

const IDENTITY: Need = {
  group: '',
  resource: 'namespaces',
  verbs: ['get'],
  where: 'cluster',
  names: ['kube-system'],
  why: 'to know which cluster it is',
}
const RECORDS: Need = {
  group: '',
  resource: 'secrets',
  verbs: ['get', 'list'],
  where: 'release',
  why: "to read helm's records",
}
const ALL_RECORDS: Need = {
  group: '',
  resource: 'secrets',
  verbs: ['list'],
  where: 'cluster',
  why: 'to see who uses a release: dependents may live in any namespace',
}
const SEEN_RECORDS: Need = {...ALL_RECORDS, without: 'only the namespaces of the environment are seen'}

const look = (group: string, ...resources: readonly string[]): readonly Need[] =>
  resources.map((resource) => ({
    group,
    resource,
    verbs: ['get', 'list', 'watch'],
    where: 'release',
    why: 'to tell whether a release is healthy',
  }))
const HEALTH: readonly Need[] = [
  ...look('', 'pods', 'persistentvolumeclaims'),
  ...look('apps', 'deployments', 'statefulsets', 'daemonsets'),
  ...look('batch', 'jobs'),
]
const EVIDENCE: readonly Need[] = (
  [
    ['pods/log', 'get'],
    ['events', 'list'],
  ] as const
).map(([resource, verb]) => ({
  group: '',
  resource,
  verbs: [verb],
  where: 'release',
  why: 'to say why a pod fails',
  without: 'failures are told without logs and events',
}))

const LEASES: Need = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  verbs: ['get', 'list', 'create', 'update', 'delete'],
  where: 'kk-system',
  why: 'so that two runs never work on one release',
}
const RUNS: Need = {
  group: '',
  resource: 'configmaps',
  verbs: ['get', 'list', 'create', 'patch', 'delete'],
  where: 'kk-system',
  why: 'to keep the records of runs, and to tell others who is about to use a release',
}
const WRITE_RECORDS: Need = {
  group: '',
  resource: 'secrets',
  verbs: ['create', 'update', 'patch', 'delete'],
  where: 'release',
  why: "to write helm's records, and kk's labels on them",
}
const MAKE_NAMESPACES: Need = {
  group: '',
  resource: 'namespaces',
  verbs: ['create'],
  where: 'cluster',
  why: 'to make namespaces that do not exist, kk-system among them',
  without: 'somebody else must make the namespaces, kk-system among them',
}
const FAILED_JOBS: Need = {
  group: 'batch',
  resource: 'jobs',
  verbs: ['delete'],
  where: 'release',
  why: 'so that a Job that has failed is run again',
}
const CHANGES: readonly Need[] = [
  IDENTITY,
  SEEN_RECORDS,
  RECORDS,
  WRITE_RECORDS,
  ...HEALTH,
  ...EVIDENCE,
  LEASES,
  RUNS,
  MAKE_NAMESPACES,
  FAILED_JOBS,
]

const inCluster = (group: string, resource: string, verbs: readonly string[], why: string): Need => ({
  group,
  resource,
  verbs,
  where: 'cluster',
  why,
})
const found = (need: Need): Need => ({...need, without: 'that check is left out'})

/** Beside these, helm needs `RENDERED_VERBS` on whatever the charts render, in the namespaces where they put it. */
export const NEEDS: Readonly<Record<NeedingVerb, readonly Need[]>> = {
  status: [
    SEEN_RECORDS,
    RECORDS,
    ...HEALTH,
    {
      ...LEASES,
      verbs: ['list'],
      why: 'to tell who works on a release',
      without: 'who works on a release is not told',
    },
  ],
  plan: [IDENTITY, SEEN_RECORDS, RECORDS, ...HEALTH],
  history: [ALL_RECORDS, RECORDS, {...RUNS, verbs: ['get', 'list']}],
  deploy: CHANGES,
  rollback: [...CHANGES.filter((need) => need !== SEEN_RECORDS), ALL_RECORDS],
  remove: [
    IDENTITY,
    ALL_RECORDS,
    {
      ...RECORDS,
      where: 'cluster',
      verbs: ['get'],
      why: 'to read what foreign releases require',
      without: 'what cannot be read counts as a user',
    },
    RECORDS,
    WRITE_RECORDS,
    LEASES,
    RUNS,
    {
      group: '',
      resource: 'persistentvolumeclaims',
      verbs: ['list', 'delete'],
      where: 'release',
      why: 'to tell what data stays, and to delete it with --delete-data',
    },
  ],
  guard: [
    ALL_RECORDS,
    ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map((resource) =>
      inCluster(
        'admissionregistration.k8s.io',
        resource,
        ['get', 'create', 'patch', 'delete'],
        'to write the guard',
      ),
    ),
    {...RUNS, why: 'to keep what the guard protects, and what was approved'},
    {
      group: 'apps',
      resource: 'statefulsets',
      verbs: ['list', 'patch'],
      where: 'release',
      why: 'to know what is kept, and to mark what was approved',
    },
    {
      group: '',
      resource: 'persistentvolumeclaims',
      verbs: ['list', 'patch'],
      where: 'release',
      why: 'to know what is kept, and to mark what was approved',
    },
  ],
  doctor: [
    found(inCluster('', 'namespaces', ['list'], 'to find namespaces that do not go')),
    found(inCluster('', 'secrets', ['get', 'list'], 'to read every record')),
    found(inCluster('', 'persistentvolumeclaims', ['list'], 'to find data that nobody uses')),
    found(inCluster('batch', 'jobs', ['list'], 'to find Jobs that helm has forgotten')),
    found(inCluster('storage.k8s.io', 'storageclasses', ['list'], 'to know the default storage class')),
    found({...LEASES, verbs: ['list']}),
    found({...RUNS, verbs: ['get', 'list']}),
  ],
}

/** What helm does with the objects of a chart. */
export const RENDERED_VERBS = ['get', 'list', 'create', 'patch', 'update', 'delete'] as const

import type {Need, NeedingVerb} from './need.ts'

const IDENTITY: Need = {
  group: '',
  resource: 'namespaces',
  verbs: ['get'],
  where: 'cluster',
  names: ['kube-system'],
  why: 'to know which cluster it is',
}
const OWN_NAMESPACE: Need = {
  group: '',
  resource: 'namespaces',
  verbs: ['get'],
  where: 'release',
  why: 'to know whether the namespace exists',
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
  why: 'to see the records of every release, in any namespace',
}
const USERS: Need = {...ALL_RECORDS, why: 'to see who uses a release: dependents may live in any namespace'}
const READ_USERS: Need = {
  ...ALL_RECORDS,
  verbs: ['get'],
  why: 'to read what foreign releases require',
  without: 'what cannot be read counts as a user',
}
const READ_FOREIGN: Need = {...READ_USERS, without: 'dependents that plain helm installed are not seen'}
const SEEN_RECORDS: Need = {...ALL_RECORDS, without: 'only the namespaces of the environment are seen'}

/**
 * A rollback removes nothing, so like an upgrade it can be done without knowing every dependent. But a release that it
 * requires, or a dependent that must pass its gate again, may be in a namespace that is not seen: the former is
 * refused, the latter noted.
 */
const SEEN_DEPENDENTS: Need = {
  ...ALL_RECORDS,
  why: 'to check dependents in any namespace after a rollback',
  without: 'dependents of other environments are not checked after a rollback',
}

const look = (verbs: readonly string[], group: string, ...resources: readonly string[]): readonly Need[] =>
  resources.map((resource) => ({
    group,
    resource,
    verbs,
    where: 'release',
    why: 'to tell whether a release is healthy',
  }))
const AUTOSCALERS = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  verbs: ['list'],
  where: 'release',
} as const
/**
 * Returns the rights to read the health of a release. Workloads are also read one by one: whether they exist, and as
 * they are after a change.
 */
const health = (...verbs: readonly string[]): readonly Need[] => {
  const read = verbs.includes('watch') ? ['get', ...verbs] : verbs
  return [
    ...look(verbs, '', 'pods', 'persistentvolumeclaims'),
    ...look(read, 'apps', 'deployments', 'statefulsets', 'daemonsets'),
    ...look(read, 'batch', 'jobs'),
    {
      ...AUTOSCALERS,
      why: 'to distinguish what an autoscaler has scaled down from what was scaled by hand',
      without: 'what an autoscaler has scaled down is not healthy',
    },
  ]
}
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
  verbs: ['get', 'create', 'update', 'delete'],
  where: 'kk-system',
  why: 'so that two runs never work on one release',
}
const SEEN_LEASES: Need = {
  ...LEASES,
  verbs: ['list'],
  why: 'to tell who works on a release',
  without: 'who works on a release is told only when it is waited for',
}
const RUNS: Need = {
  group: '',
  resource: 'configmaps',
  verbs: ['get', 'list', 'create', 'patch', 'delete'],
  where: 'kk-system',
  why: 'to keep the records of runs, and to tell others who is about to use a release',
}
const SEEN_RUNS: Need = {
  ...RUNS,
  verbs: ['list'],
  why: 'to know the namespaces of an environment whose file is not at hand',
  without: 'the file must be named, or the release with its namespace',
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
const SECRETS: Need = {
  group: '',
  resource: 'secrets',
  verbs: ['get'],
  where: 'kk-system',
  why: 'to read generated passwords and keys, where the environment does not state its own',
  without: 'every password must be stated',
}
const MAKE_SECRETS: Need = {
  ...SECRETS,
  verbs: ['get', 'create', 'update'],
  why: 'to make passwords and keys, where the environment does not state its own',
}
const FAILED_JOBS: Need = {
  group: 'batch',
  resource: 'jobs',
  verbs: ['delete'],
  where: 'release',
  why: 'so that a Job that has failed is run again',
}
const NODE_ROLLS: Need = {
  group: '',
  resource: 'pods',
  verbs: ['delete'],
  where: 'release',
  why: 'to replace pods node by node, where a DaemonSet asks for it',
  without: 'such a DaemonSet keeps its old pods, and the release fails',
}
const ofReleases = (
  reason: Required<Pick<Need, 'why' | 'without'>>,
  ...rights: readonly (readonly [group: string, resource: string, verbs: readonly string[]])[]
): readonly Need[] =>
  rights.map(([group, resource, verbs]) => ({group, resource, verbs, where: 'release', ...reason}))
const PULLS = ofReleases(
  {why: 'to pull images ahead with --prepull', without: 'images are pulled when pods need them'},
  ['batch', 'jobs', ['create', 'delete']],
  ['', 'pods', ['list']],
)
const CLEANUPS = ofReleases(
  {why: 'to take away what a release has in other services, with --purge', without: 'it stays'},
  ['batch', 'cronjobs', ['get']],
  ['batch', 'jobs', ['get', 'list', 'watch', 'create']],
  ['', 'pods', ['list', 'watch']],
)
const KEEP_CLAIMS: Need = {
  group: '',
  resource: 'persistentvolumeclaims',
  verbs: ['patch'],
  where: 'release',
  why: 'to keep the claims that a new revision of a chart has no more',
  without: 'such a revision is refused',
}
const OWN_PODS: Need = {
  group: '',
  resource: 'pods',
  verbs: ['get'],
  where: 'kk-system',
  why: 'to know that the helm of a pod of kk is gone with the pod',
  without: 'what such a pod has left is taken over when the time of its helm is over',
}
const CHANGES: readonly Need[] = [
  IDENTITY,
  OWN_NAMESPACE,
  RECORDS,
  WRITE_RECORDS,
  ...health('list', 'watch'),
  ...EVIDENCE,
  LEASES,
  SEEN_LEASES,
  OWN_PODS,
  RUNS,
  FAILED_JOBS,
  KEEP_CLAIMS,
  NODE_ROLLS,
]

const DEPLOY: readonly Need[] = [...CHANGES, ...PULLS, SEEN_RECORDS, MAKE_NAMESPACES, MAKE_SECRETS]

const inCluster = (group: string, resource: string, verbs: readonly string[], why: string): Need => ({
  group,
  resource,
  verbs,
  where: 'cluster',
  why,
})
const stated = (need: Need): Need => ({...need, without: 'these facts must be stated in a facts file'})
const FACTS: readonly Need[] = [
  stated(inCluster('', 'nodes', ['list'], 'to count controllers and compute nodes, and to know their size')),
  stated(inCluster('storage.k8s.io', 'storageclasses', ['list'], 'to know the storage classes')),
  {
    ...inCluster('', 'configmaps', ['get'], 'to know the domain of cluster services, in kube-system'),
    names: ['kubelet-config', 'coredns'],
    without: 'the fact dnsDomain is unknown',
  },
]
const found = (need: Need): Need => ({...need, without: 'that check is left out'})

const policies = (verbs: readonly string[], why: string): readonly Need[] =>
  ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map((resource) =>
    inCluster('admissionregistration.k8s.io', resource, verbs, why),
  )
const PARAMETERS = inCluster(
  '',
  'configmaps',
  ['get', 'create', 'update', 'patch', 'delete'],
  'to keep what the guard protects, and what was approved',
)
const clocks = (...verbs: readonly string[]): Need =>
  inCluster('coordination.k8s.io', 'leases', verbs, 'to know that approvals end')
const MARK = 'to mark what was approved'

const KINDS = 'kk.openstack.org'
const steering = (...verbs: readonly string[]): Need => ({
  group: KINDS,
  resource: 'environments',
  verbs,
  where: 'kk-system',
  why: 'to say what the operator is to do',
})
const driving = (group: string, resource: string, ...verbs: readonly string[]): Need => ({
  group,
  resource,
  verbs,
  where: 'kk-system',
  why: 'to drive Environments, and to say how they are',
})
const OPERATOR: readonly Need[] = [
  driving(KINDS, 'environments', 'get', 'list', 'watch', 'patch'),
  driving(KINDS, 'releases', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  driving(KINDS, 'environments/status', 'patch'),
  driving(KINDS, 'releases/status', 'patch'),
  driving('', 'configmaps', 'get', 'list', 'watch'),
  driving('', 'secrets', 'get', 'list', 'watch'),
  driving('', 'events', 'create', 'patch'),
  {
    ...inCluster(
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      ['get'],
      'to know that its kind is not being deleted',
    ),
    names: [`environments.${KINDS}`],
  },
]
/** What the operator needs in each cluster that has releases. There is no facts file. */
const OPERATOR_ANYWHERE: readonly Need[] = [
  {...driving('coordination.k8s.io', 'leases', 'patch'), why: 'to say who drives an environment'},
  {...driving('', 'namespaces', 'get'), why: 'to know whether the namespace exists'},
  ...FACTS.map(({without: _, ...need}) => need),
  ...ofReleases(
    {why: 'to notice what changes', without: 'it is noticed later'},
    ['', 'secrets', ['list', 'watch']],
    ['apps', 'deployments', ['list', 'watch']],
    ['apps', 'statefulsets', ['list', 'watch']],
    ['apps', 'daemonsets', ['list', 'watch']],
    ['batch', 'jobs', ['list', 'watch']],
  ),
]
const DRIVERS: readonly Need[] = (
  [
    ['helm.toolkit.fluxcd.io', 'helmreleases'],
    ['argoproj.io', 'applications'],
  ] as const
).map(([group, resource]) => ({
  ...inCluster(group, resource, ['list'], 'to know whether another tool drives a release'),
  without: 'a release that another tool drives is recognized by the labels of its objects alone',
}))
/** To give the operator an environment file with overrides. */
const HAND_OVER: readonly Need[] = [
  steering('create', 'patch'),
  {...RUNS, verbs: ['create', 'patch'], why: 'to give the operator the environment file'},
  {
    ...SECRETS,
    verbs: ['create', 'patch'],
    why: "to give the operator the deployer's overrides",
    without: 'only an environment that has none is handed over',
  },
]
const LEADER: Need = {...LEASES, verbs: ['get'], why: 'to tell which process of the operator leads'}
const FOLLOW_OPERATOR: readonly Need[] = [
  ...['environments', 'releases'].map((resource) => ({
    ...steering('list', 'watch'),
    resource,
    why: 'to follow what the operator does',
  })),
  LEADER,
]
const RBAC = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']
const starting = (group: string, ...resources: readonly string[]): readonly Need[] =>
  resources.map((resource) => ({
    ...{group, resource, verbs: ['create', 'patch'], where: 'kk-system'},
    why: 'to have a Job do a run, with an account of its own',
  }))
const following = (group: string, resource: string, ...verbs: readonly string[]): Need => ({
  ...{group, resource, verbs, where: 'kk-system'},
  why: 'to follow a run in the cluster',
})
const installing = (group: string, ...resources: readonly string[]): readonly Need[] =>
  resources.map((resource) =>
    inCluster(
      group,
      resource,
      ['get', 'create', 'patch', 'delete'],
      'to install the operator, and to take it away',
    ),
  )

/**
 * The rights that each verb needs. Beside these, helm needs `renderedNeeds`: rights on the objects that the charts
 * render, in their namespaces.
 */
export const NEEDS: Readonly<Record<NeedingVerb, readonly Need[]>> = {
  status: [
    SEEN_RECORDS,
    {
      ...SEEN_RECORDS,
      verbs: ['watch'],
      why: 'to look again when something changes',
      without: 'kk status --watch looks now and then',
    },
    RECORDS,
    READ_FOREIGN,
    ...health('list'),
    {...SEEN_LEASES, without: 'who works on a release is not told'},
    {...SECRETS, without: 'a release with generated passwords is shown as one with other inputs'},
  ],
  plan: [IDENTITY, SEEN_RECORDS, RECORDS, SECRETS, ...DRIVERS],
  history: [SEEN_RECORDS, RECORDS, {...RUNS, verbs: ['list'], why: 'to read the records of runs'}],
  drift: [
    SEEN_RECORDS,
    RECORDS,
    SEEN_RUNS,
    {
      ...AUTOSCALERS,
      why: 'to leave replicas to whom they are left',
      without: 'what an autoscaler has set is told as drift',
    },
  ],
  test: [
    IDENTITY,
    SEEN_RECORDS,
    RECORDS,
    {...WRITE_RECORDS, verbs: ['update'], why: "to write into helm's records how the tests ended"},
    {
      group: '',
      resource: 'pods',
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      where: 'release',
      why: 'to run the pods of the tests',
    },
    {
      group: '',
      resource: 'persistentvolumeclaims',
      verbs: ['list', 'watch'],
      where: 'release',
      why: 'to say why a pod waits',
      without: 'a claim without a volume is not named',
    },
    ...EVIDENCE,
    LEASES,
  ],
  deploy: DEPLOY,
  adopt: [...DEPLOY, ...DRIVERS],
  'drift --prune': [IDENTITY, SEEN_RECORDS, RECORDS, LEASES, SEEN_LEASES, RUNS],
  rollback: [...CHANGES, SEEN_DEPENDENTS],
  unlock: [SEEN_RECORDS, RECORDS, {...WRITE_RECORDS, verbs: ['update']}, LEASES, SEEN_RUNS],
  remove: [
    IDENTITY,
    USERS,
    READ_USERS,
    RECORDS,
    {...WRITE_RECORDS, verbs: ['update', 'delete'], why: "to take helm's records away"},
    LEASES,
    {...SEEN_LEASES, without: 'who works on a release is told only when it is waited for'},
    RUNS,
    {
      group: '',
      resource: 'persistentvolumeclaims',
      verbs: ['list', 'delete'],
      where: 'release',
      why: 'to tell what data stays, and to delete it with --delete-data',
    },
    ...CLEANUPS,
  ],
  orphans: [USERS, READ_USERS, RECORDS],
  'guard install': [
    ALL_RECORDS,
    ...policies(['get', 'create', 'patch'], 'to write the guard'),
    inCluster('', 'namespaces', ['get', 'create'], 'to make kk-system, and to try the guard on it'),
    PARAMETERS,
    clocks('get', 'list'),
    inCluster('apps', 'statefulsets', ['list'], 'to know the claims that they make'),
  ],
  'guard approve': [
    ALL_RECORDS,
    ...policies(['get'], 'to know whether there is a guard'),
    ...['secrets', 'persistentvolumeclaims'].map((resource) =>
      inCluster('', resource, ['list', 'patch'], MARK),
    ),
    inCluster('', 'namespaces', ['get', 'patch'], MARK),
    inCluster('apps', 'statefulsets', ['list', 'patch'], MARK),
    PARAMETERS,
    clocks('list'),
  ],
  facts: FACTS,
  'deploy --in-cluster': [
    ...starting('', 'serviceaccounts', 'secrets', 'configmaps'),
    ...starting('batch', 'jobs'),
    ...RBAC.map((resource) =>
      inCluster(
        'rbac.authorization.k8s.io',
        resource,
        ['create', 'patch', 'bind', 'escalate'],
        'to give a run the rights that it needs',
      ),
    ),
  ],
  'run follow': [
    following('batch', 'jobs', 'get', 'list', 'watch'),
    following('', 'configmaps', 'get', 'list', 'watch'),
    following('', 'pods', 'list', 'watch'),
  ],
  'operator install': [
    ...installing('', 'namespaces', 'serviceaccounts'),
    ...installing('apiextensions.k8s.io', 'customresourcedefinitions'),
    ...installing('rbac.authorization.k8s.io', ...RBAC),
    ...RBAC.map((resource) =>
      inCluster('rbac.authorization.k8s.io', resource, ['list'], 'to take back rights that it has no longer'),
    ),
    ...installing('apps', 'deployments'),
    {
      ...{group: 'apps', resource: 'deployments', verbs: ['get', 'list'], where: 'kk-system'},
      why: 'to know in which shape it is installed',
    },
    ...installing(
      'admissionregistration.k8s.io',
      ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    ),
    {
      ...{group: '', resource: 'secrets', where: 'kk-system', why: "to keep helm's records of it"},
      verbs: ['get', 'list', 'create', 'update', 'delete'],
    },
    {...steering('list', 'patch'), why: 'to stop its work, and let go what waits for its removal'},
    {...LEADER, why: 'to wait until it has ended what it runs'},
    {
      ...{group: '', resource: 'secrets', verbs: ['list', 'delete'], where: 'release'},
      why: 'to take back orders to its children',
    },
  ],
  'operator run': [...OPERATOR, ...OPERATOR_ANYWHERE],
  'operator run elsewhere': OPERATOR_ANYWHERE,
  'operator run --role child': [
    ...CHANGES,
    driving(KINDS, 'releases', 'get', 'list', 'watch'),
    driving(KINDS, 'releases/status', 'patch'),
  ],
  'operator adopt': HAND_OVER,
  'operator follow': FOLLOW_OPERATOR,
  'deploy --via operator': [
    ...HAND_OVER,
    steering('get'),
    {...RUNS, verbs: ['get'], why: 'to know the inputs that the operator is going to read'},
    {...SECRETS, why: 'to know the overrides that the operator is going to read'},
    ...FOLLOW_OPERATOR,
  ],
  'operator pause': [steering('get', 'patch')],
  'operator status': [
    ...['environments', 'releases'].map((resource) => ({
      ...steering('list'),
      resource,
      why: 'to tell what the operator does',
    })),
    LEADER,
  ],
  'secrets list': [
    {...SECRETS, verbs: ['list'], why: 'to list what is kept', without: 'only --in store works'},
  ],
  'secrets import': [MAKE_SECRETS, MAKE_NAMESPACES],
  'secrets rotate': [IDENTITY, SEEN_RECORDS, RECORDS, MAKE_SECRETS],
  doctor: [
    found(inCluster('', 'namespaces', ['list'], 'to find namespaces that do not go')),
    found(inCluster('', 'secrets', ['get', 'list'], 'to read every record, and certificates of TLS')),
    found(inCluster('', 'persistentvolumeclaims', ['list'], 'to find data that nobody uses')),
    found(inCluster('batch', 'jobs', ['list'], 'to find Jobs that helm has forgotten')),
    found(inCluster('storage.k8s.io', 'storageclasses', ['list'], 'to know the default storage class')),
    found(inCluster('', 'nodes', ['list'], 'to find pods that no node can take')),
    found({...LEASES, verbs: ['list']}),
    found({...RUNS, verbs: ['get', 'list']}),
  ],
}

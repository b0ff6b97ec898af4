import type {Need} from './need.ts'

/**
 * The verbs of helm on the objects of a chart, and of kk in its dry runs. kk watches Jobs and Pods that are
 * hooks.
 */
export const RENDERED_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'] as const

/** The kinds that kk's own charts render in the namespace of the release, by API group. */
const RENDERED_KINDS: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'],
  apps: ['daemonsets', 'deployments', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
  'networking.k8s.io': ['ingresses', 'networkpolicies'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['rolebindings', 'roles'],
}

/** The cluster-scoped kinds that they render: rights on nodes, and classes and drivers of volumes. */
const RENDERED_CLUSTER_KINDS: Readonly<Record<string, readonly string[]>> = {
  'networking.k8s.io': ['ingressclasses'],
  'rbac.authorization.k8s.io': ['clusterrolebindings', 'clusterroles'],
  'storage.k8s.io': ['csidrivers', 'storageclasses'],
}

/** Verbs on resources of a group. */
type Grants = readonly (readonly [group: string, resources: readonly string[], verbs: readonly string[]])[]

/**
 * The rights that the Roles of kk's own charts grant in addition to those above, for init containers and for
 * clients of Kubernetes. The creator of a Role must have the rights that it grants.
 */
const ROLE_GRANTS: Grants = [
  ['', ['endpoints', 'services'], ['get', 'list']],
  ['discovery.k8s.io', ['endpointslices'], ['get', 'list', 'watch']],
  ['coordination.k8s.io', ['leases'], ['create', 'get', 'update']],
  ['apps', ['replicasets'], ['create', 'delete', 'list']],
]

/** The rights that their ClusterRoles grant. */
const CLUSTER_ROLE_GRANTS: Grants = [
  ['', ['nodes'], ['get', 'list', 'watch']],
  ['', ['persistentvolumes'], ['get', 'list', 'watch', 'create', 'patch', 'delete']],
  ['', ['persistentvolumeclaims'], ['get', 'list', 'watch']],
  ['', ['events'], ['create', 'patch']],
  ['certificates.k8s.io', ['certificatesigningrequests'], ['create', 'get', 'list']],
  [
    'certificates.k8s.io',
    ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    ['patch'],
  ],
  ['certificates.k8s.io', ['signers'], ['approve', 'sign']],
]

/**
 * Returns these rights on the objects that the charts render and, if `create` is among them, the rights that
 * the rendered Roles grant.
 */
export function renderedNeeds(verbs: readonly string[]): readonly Need[] {
  const rendered = needsOn(RENDERED_KINDS, {
    verbs,
    where: 'release',
    why: 'to write the objects of the charts',
  })
  return verbs.includes('create') ? [...rendered, ...grantNeeds(ROLE_GRANTS, 'release')] : rendered
}

/**
 * Returns the rights on the cluster-scoped objects that kk's own charts render, and the rights that the
 * rendered ClusterRoles grant.
 */
export function clusterChartNeeds(): readonly Need[] {
  const why = 'to write the cluster-scoped objects of the charts'
  return [
    ...needsOn(RENDERED_CLUSTER_KINDS, {verbs: RENDERED_VERBS, where: 'cluster', why}),
    ...grantNeeds(CLUSTER_ROLE_GRANTS, 'cluster'),
  ]
}

function grantNeeds(rights: Grants, where: Need['where']): readonly Need[] {
  const why = `to grant the rights in ${where === 'cluster' ? 'ClusterRoles' : 'Roles'} of the charts`
  return rights.flatMap(([group, resources, verbs]) => needsOn({[group]: resources}, {verbs, where, why}))
}

function needsOn(
  kinds: Readonly<Record<string, readonly string[]>>,
  rights: Pick<Need, 'verbs' | 'where' | 'why'>,
): readonly Need[] {
  return Object.entries(kinds).flatMap(([group, resources]) =>
    resources.map((resource): Need => ({group, resource, ...rights})),
  )
}

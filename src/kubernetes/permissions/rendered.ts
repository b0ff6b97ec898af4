import type {Need} from './need.ts'

/** The verbs of helm on the objects of a chart, and of kk in its dry runs. kk watches Jobs and Pods that are hooks. */
export const RENDERED_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'] as const

/** The kinds that kk's own charts render in the namespace of the release, by API group. */
const RENDERED: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'],
  apps: ['daemonsets', 'deployments', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
  'networking.k8s.io': ['ingresses', 'networkpolicies'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['rolebindings', 'roles'],
}

/** The kinds that they render for the whole cluster: what is told of nodes, and classes and drivers of volumes. */
const OF_CLUSTER: Readonly<Record<string, readonly string[]>> = {
  'networking.k8s.io': ['ingressclasses'],
  'rbac.authorization.k8s.io': ['clusterrolebindings', 'clusterroles'],
  'storage.k8s.io': ['csidrivers', 'storageclasses'],
}

/** Verbs on resources of a group. */
type Given = readonly (readonly [group: string, resources: readonly string[], verbs: readonly string[]])[]

/**
 * The rights that the Roles of kk's own charts grant beside those above, for their init containers and for what speaks to
 * Kubernetes. The maker of a Role must have the rights that it grants.
 */
const GIVEN: Given = [
  ['', ['endpoints', 'services'], ['get', 'list']],
  ['discovery.k8s.io', ['endpointslices'], ['get', 'list', 'watch']],
  ['coordination.k8s.io', ['leases'], ['create', 'get', 'update']],
]

/** The same of their ClusterRoles. */
const GIVEN_OF_CLUSTER: Given = [
  ['', ['nodes'], ['get', 'list', 'watch']],
  ['', ['persistentvolumes'], ['get', 'list', 'watch', 'create', 'patch', 'delete']],
  ['', ['persistentvolumeclaims'], ['get', 'list', 'watch']],
  ['', ['events'], ['create', 'patch']],
]

/**
 * Returns these rights on the objects that the charts render and, if `create` is among them, the rights that the Roles
 * among these grant.
 */
export function renderedNeeds(verbs: readonly string[]): readonly Need[] {
  const rendered = needsOn(RENDERED, {verbs, where: 'release', why: 'what the charts render'})
  return verbs.includes('create') ? [...rendered, ...given(GIVEN, 'release')] : rendered
}

/** Returns the rights on the objects of the whole cluster that kk's own charts render, and those that the ClusterRoles among these grant. */
export function needsOfCluster(): readonly Need[] {
  const why = 'what the charts render for the whole cluster'
  return [
    ...needsOn(OF_CLUSTER, {verbs: RENDERED_VERBS, where: 'cluster', why}),
    ...given(GIVEN_OF_CLUSTER, 'cluster'),
  ]
}

function given(rights: Given, where: Need['where']): readonly Need[] {
  const why = `what the ${where === 'cluster' ? 'ClusterRoles' : 'Roles'} of the charts give`
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

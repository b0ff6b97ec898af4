import type {Need} from './need.ts'

/** The verbs of helm on the objects of a chart, and of kk in its dry runs. kk watches Jobs and Pods that are hooks. */
export const RENDERED_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'] as const

/** The kinds that kk's own charts render, by API group. */
const RENDERED: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'],
  apps: ['daemonsets', 'deployments', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['rolebindings', 'roles'],
}

/**
 * The rights that the Roles of kk's own charts grant, for their init containers. The maker of a Role must have the
 * rights that it grants.
 */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  '': ['endpoints', 'services'],
  'discovery.k8s.io': ['endpointslices'],
}

/**
 * Returns these rights on the objects that the charts render and, if `create` is among them, the rights that the Roles
 * among these grant.
 */
export function renderedNeeds(verbs: readonly string[]): readonly Need[] {
  const rendered = needsOn(RENDERED, verbs, 'what the charts render')
  if (!verbs.includes('create')) return rendered
  return [...rendered, ...needsOn(GIVEN, ['get', 'list'], 'what the Roles of the charts give')]
}

function needsOn(
  kinds: Readonly<Record<string, readonly string[]>>,
  verbs: readonly string[],
  why: string,
): readonly Need[] {
  return Object.entries(kinds).flatMap(([group, resources]) =>
    resources.map((resource): Need => ({group, resource, verbs, where: 'release', why})),
  )
}

import type {Need} from './need.ts'

/** What helm does with the objects of a chart, and kk in its dry runs. It watches Jobs and Pods that are hooks. */
export const RENDERED_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'] as const

/** The kinds that kk's own charts render, by API group. */
const RENDERED: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'],
  apps: ['daemonsets', 'deployments', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['rolebindings', 'roles'],
}

/** Whoever makes a Role must have what it gives: these are in the Roles of kk's own charts, for their init containers. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  '': ['endpoints', 'services'],
  'discovery.k8s.io': ['endpointslices'],
}

/** These rights on what the charts render and, for who makes it, on what the Roles among it give. */
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

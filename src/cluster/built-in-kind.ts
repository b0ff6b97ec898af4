/** The groups below `k8s.io` that the API server has of itself; in all others of that name are custom kinds, as VerticalPodAutoscaler. */
const GROUPS = [
  'admissionregistration',
  'apiextensions',
  'apiregistration',
  'authentication',
  'authorization',
  'certificates',
  'coordination',
  'discovery',
  'events',
  'flowcontrol.apiserver',
  'internal.apiserver',
  'networking',
  'node',
  'rbac.authorization',
  'resource',
  'scheduling',
  'storage',
  'storagemigration',
]
const BUILT_IN = new Set([
  ...['apps', 'autoscaling', 'batch', 'extensions', 'policy'],
  ...GROUPS.map((group) => `${group}.k8s.io`),
])

/** Whether the API server has the kinds of this version of itself, without a CustomResourceDefinition. */
export function isBuiltIn(apiVersion: string): boolean {
  return apiVersion === 'v1' || BUILT_IN.has(apiVersion.slice(0, apiVersion.lastIndexOf('/')))
}

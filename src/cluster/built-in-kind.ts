/**
 * The groups below `k8s.io` that are built into the API server; all others have custom kinds, such as
 * VerticalPodAutoscaler.
 */
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

/** Whether the kinds of this version are built into the API server, without a CustomResourceDefinition. */
export function isBuiltIn(apiVersion: string): boolean {
  return apiVersion === 'v1' || BUILT_IN.has(apiVersion.slice(0, apiVersion.lastIndexOf('/')))
}

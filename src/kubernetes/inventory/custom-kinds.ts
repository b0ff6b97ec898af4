import type {ServedKinds} from '../api/discovery.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

/** Returns the custom kinds that the cluster serves: `group/version` and `group/version/Kind`, sorted. */
export async function listCustomKinds(discovery: Pick<ServedKinds, 'all'>): Promise<readonly string[]> {
  const custom = (await discovery.all()).filter(({apiVersion}) => !isBuiltIn(apiVersion))
  return listApiVersions(custom)
}

/** Returns the kinds that the objects define by CustomResourceDefinitions, as `listCustomKinds` does. */
export function definedKinds(objects: readonly KubernetesObject[]): readonly string[] {
  const defined = objects
    .filter(({kind}) => kind === 'CustomResourceDefinition')
    .flatMap(({spec}) => {
      const {
        group,
        names,
        versions = [],
      } = (spec ?? {}) as {
        readonly group?: string
        readonly names?: {readonly kind?: string}
        readonly versions?: readonly {readonly name: string; readonly served?: boolean}[]
      }
      const served = versions.filter((version) => version.served !== false)
      return served.map(({name}) => ({apiVersion: `${group}/${name}`, kind: names?.kind ?? ''}))
    })
  return listApiVersions(defined)
}

/**
 * Whether these objects grant the right to define or serve kinds. Such kinds exist only once the program
 * runs: an operator that creates its own CustomResourceDefinitions, or an aggregated API server.
 */
export function mayDefineKinds(objects: readonly KubernetesObject[]): boolean {
  return objects.some(({kind, rules, roleRef}) => {
    if (kind === 'APIService') return true
    if (kind === 'ClusterRoleBinding')
      return (roleRef as {readonly name?: unknown} | null)?.name === 'cluster-admin'
    return kind === 'ClusterRole' && Array.isArray(rules) && rules.some(grantsDefinitions)
  })
}

function grantsDefinitions(rule: {
  readonly apiGroups?: readonly string[] | null
  readonly resources?: readonly string[] | null
  readonly verbs?: readonly string[] | null
}): boolean {
  const has = (list: readonly string[] | null | undefined, one: string) =>
    list?.some((each) => each === '*' || each === one) ?? false
  return (
    has(rule.apiGroups, 'apiextensions.k8s.io') &&
    has(rule.resources, 'customresourcedefinitions') &&
    has(rule.verbs, 'create')
  )
}

/** Returns a predicate for kinds that are served in any version. */
export function servesKind(
  served: readonly string[],
): (wanted: {readonly group: string; readonly kind: string}) => boolean {
  const kinds = new Set(served.map(withoutVersion))
  return ({group, kind}) => kinds.has(`${group}/${kind}`)
}

/** Returns `group/version/Kind` as `group/Kind`. */
function withoutVersion(served: string): string {
  const [group, , kind] = served.split('/')
  return `${group}/${kind}`
}

/** Returns `group/version` and `group/version/Kind` of each kind, sorted. */
export function listApiVersions(
  kinds: readonly {readonly apiVersion: string; readonly kind: string}[],
): readonly string[] {
  const versions = kinds.flatMap(({apiVersion, kind}) => [apiVersion, `${apiVersion}/${kind}`])
  return [...new Set(versions)].sort()
}

/**
 * The groups below `k8s.io` that are built into the API server; other groups have custom kinds, such as
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

/**
 * Returns true for a version whose kinds are built into the API server, without a CustomResourceDefinition.
 */
export function isBuiltIn(apiVersion: string): boolean {
  return apiVersion === 'v1' || BUILT_IN.has(apiVersion.slice(0, apiVersion.lastIndexOf('/')))
}

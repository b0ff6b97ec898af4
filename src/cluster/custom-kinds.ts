import type {ServedKinds} from './api/discovery.ts'
import {isBuiltIn} from './built-in-kind.ts'
import type {KubernetesObject} from './cluster.ts'

/** The custom kinds that the cluster serves: `group/version` and `group/version/Kind`, sorted. */
export async function listCustomKinds(discovery: Pick<ServedKinds, 'all'>): Promise<readonly string[]> {
  const custom = (await discovery.all()).filter(({apiVersion}) => !isBuiltIn(apiVersion))
  return apiVersionsOf(custom)
}

/** The same of the CustomResourceDefinitions among objects: what will be served. */
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
  return apiVersionsOf(defined)
}

/** Whether a kind is among those served, in whichever version. */
export function servesKind(
  served: readonly string[],
): (wanted: {readonly group: string; readonly kind: string}) => boolean {
  const kinds = new Set(served.map(withoutVersion))
  return ({group, kind}) => kinds.has(`${group}/${kind}`)
}

/** `group/version/Kind` as `group/Kind`. */
function withoutVersion(served: string): string {
  const [group, , kind] = served.split('/')
  return `${group}/${kind}`
}

/** `group/version` and `group/version/Kind` of each, sorted. */
export function apiVersionsOf(
  kinds: readonly {readonly apiVersion: string; readonly kind: string}[],
): readonly string[] {
  const found = kinds.flatMap(({apiVersion, kind}) => [apiVersion, `${apiVersion}/${kind}`])
  return [...new Set(found)].sort()
}

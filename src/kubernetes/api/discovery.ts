import type {ApiClient} from './client.ts'
import type {Resource} from './resources.ts'

/** The kinds that the API server serves now. */
export interface Discovery {
  /**
   * Returns the resource of a kind; undefined if the cluster does not serve the kind, after a refresh too.
   */
  find(apiVersion: string, kind: string): Promise<Resource | undefined>
}

/** The kinds that the API server serves now, also as a list. */
export interface ServedKinds extends Discovery {
  /** Returns all kinds, freshly read. */
  all(): Promise<readonly Resource[]>
  /** Returns whether an API is registered but its server (an APIService) did not respond at the last read. */
  isUnavailable(apiVersion: string): Promise<boolean>
}

interface Kinds {
  readonly served: ReadonlyMap<string, Resource>
  readonly unavailable: ReadonlySet<string>
}

interface GroupList {
  readonly items: readonly {
    readonly metadata: {readonly name?: string}
    readonly versions: readonly {
      readonly version: string
      /** `Stale` if the server of an aggregated API does not respond. */
      readonly freshness?: 'Current' | 'Stale'
      readonly resources?: readonly {
        readonly resource: string
        readonly scope: 'Cluster' | 'Namespaced'
        readonly responseKind?: {readonly kind: string}
        readonly subresources?: readonly {readonly subresource: string}[]
      }[]
    }[]
  }[]
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',')

/**
 * Returns a discovery that reads the kinds once, and again when a kind is missing: a release that was just
 * installed may have added it.
 */
export function discoverKinds(client: ApiClient): ServedKinds {
  let cached: Promise<Kinds> | undefined
  let pending: Promise<Kinds> | undefined

  function refresh(): Promise<Kinds> {
    pending ??= readKinds(client).finally(() => {
      pending = undefined
    })
    cached = pending
    return pending
  }

  return {
    async find(apiVersion, kind) {
      const key = `${apiVersion}/${kind}`
      const before = cached
      const resource = before && (await before.catch(() => undefined))?.served.get(key)
      return resource ?? (await refresh()).served.get(key)
    },
    all: async () => [...(await refresh()).served.values()],
    isUnavailable: async (apiVersion) => (await (cached ?? refresh())).unavailable.has(apiVersion),
  }
}

/** Reads all kinds by aggregated discovery, in two requests (Kubernetes 1.27; `v2` since 1.30). */
async function readKinds(client: ApiClient): Promise<Kinds> {
  const lists = await Promise.all(
    ['/api', '/apis'].map((path) =>
      client.json<GroupList>({path, accept: AGGREGATED, summary: 'list the kinds that it knows'}),
    ),
  )
  const served = new Map<string, Resource>()
  const unavailable = new Set<string>()
  for (const group of lists.flatMap((list) => list.items)) {
    for (const {version, freshness, resources = []} of group.versions) {
      const apiVersion = group.metadata.name ? `${group.metadata.name}/${version}` : version
      if (freshness === 'Stale') unavailable.add(apiVersion)
      for (const {resource, scope, responseKind, subresources = []} of resources) {
        if (!responseKind) continue
        const {kind} = responseKind
        served.set(`${apiVersion}/${kind}`, {
          apiVersion,
          kind,
          plural: resource,
          namespaced: scope === 'Namespaced',
          ...(subresources.some(({subresource}) => subresource === 'status') && {hasStatus: true}),
        })
      }
    }
  }
  return {served, unavailable}
}

import type {ApiClient} from './client.ts'
import type {Resource} from './resources.ts'

/** The kinds that the API server serves now. */
export interface Discovery {
  /** Returns the resource of a kind; undefined if the cluster does not know the kind, even when asked afresh. */
  find(apiVersion: string, kind: string): Promise<Resource | undefined>
}

/** The kinds that the API server serves now, also as one list. */
export interface ServedKinds extends Discovery {
  /** Returns all kinds, asked afresh. */
  all(): Promise<readonly Resource[]>
  /** Returns true for an API that is registered, and whose server (an APIService) did not answer when the kinds were asked for. */
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
      /** `Stale` where the server of an aggregated API does not answer. */
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
 * Returns a discovery that asks once, and again for a kind that is missing: a release that was just installed may have
 * brought it.
 */
export function discoverKinds(client: ApiClient): ServedKinds {
  let known: Promise<Kinds> | undefined
  let asked: Promise<Kinds> | undefined

  function refresh(): Promise<Kinds> {
    asked ??= readKinds(client).finally(() => {
      asked = undefined
    })
    known = asked
    return asked
  }

  return {
    async find(apiVersion, kind) {
      const key = `${apiVersion}/${kind}`
      const first = known
      const found = first && (await first.catch(() => undefined))?.served.get(key)
      return found ?? (await refresh()).served.get(key)
    },
    all: async () => [...(await refresh()).served.values()],
    isUnavailable: async (apiVersion) => (await (known ?? refresh())).unavailable.has(apiVersion),
  }
}

/** Reads all kinds by aggregated discovery, with two requests for all groups (Kubernetes 1.27; `v2` since 1.30). */
async function readKinds(client: ApiClient): Promise<Kinds> {
  const lists = await Promise.all(
    ['/api', '/apis'].map((path) =>
      client.json<GroupList>({path, accept: AGGREGATED, asked: 'list the kinds that it knows'}),
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

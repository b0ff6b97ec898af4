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
}

type Kinds = ReadonlyMap<string, Resource>

interface GroupList {
  readonly items: readonly {
    readonly metadata: {readonly name?: string}
    readonly versions: readonly {
      readonly version: string
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
      const found = first && (await first.catch(() => undefined))?.get(key)
      return found ?? (await refresh()).get(key)
    },
    all: async () => [...(await refresh()).values()],
  }
}

/** Reads all kinds by aggregated discovery, with two requests for all groups (Kubernetes 1.27; `v2` since 1.30). */
async function readKinds(client: ApiClient): Promise<Kinds> {
  const lists = await Promise.all(
    ['/api', '/apis'].map((path) =>
      client.json<GroupList>({path, accept: AGGREGATED, asked: 'list the kinds that it knows'}),
    ),
  )
  const kinds = new Map<string, Resource>()
  for (const group of lists.flatMap((list) => list.items)) {
    for (const {version, resources = []} of group.versions) {
      const apiVersion = group.metadata.name ? `${group.metadata.name}/${version}` : version
      for (const {resource, scope, responseKind, subresources = []} of resources) {
        if (!responseKind) continue
        const {kind} = responseKind
        kinds.set(`${apiVersion}/${kind}`, {
          apiVersion,
          kind,
          plural: resource,
          namespaced: scope === 'Namespaced',
          ...(subresources.some(({subresource}) => subresource === 'status') && {hasStatus: true}),
        })
      }
    }
  }
  return kinds
}

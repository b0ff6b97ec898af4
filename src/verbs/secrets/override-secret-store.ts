import type {KeptSecrets, SecretsByName} from '../../kubernetes/records/secret-store.ts'
import type {DatedSecret, OverrideStore, StoredSecret} from '../../overrides/user/store.ts'

/** The keeper of secrets: the cluster or, for work without one, the store. */
export type SecretKeeper = KeptSecrets

export function clusterKeeper(secrets: KeptSecrets): SecretKeeper {
  return secrets
}

/** Returns the store as a keeper; it does not know the kinds of its secrets. */
export function storeKeeper(store: Pick<OverrideStore, 'secrets' | 'putSecret'>): SecretKeeper {
  const list = async () => secretsByNamespace(await store.secrets())
  return {
    list,
    read: async (namespace) => (await list()).get(namespace) ?? new Map(),
    async keep(namespace, secrets, {replace = false} = {}) {
      for (const {name, value} of secrets) await store.putSecret({name, namespace, value}, {replace})
      return (await list()).get(namespace) ?? new Map()
    },
  }
}

/** Returns the secrets of a store in the form of a keeper. */
export function secretsByNamespace(
  secrets: readonly (StoredSecret & Partial<DatedSecret>)[],
): ReadonlyMap<string, SecretsByName> {
  const groups = Map.groupBy(secrets, ({namespace}) => namespace)
  return new Map([...groups].map(([namespace, each]) => [namespace, byName(each)]))
}

function byName(secrets: readonly (StoredSecret & Partial<DatedSecret>)[]): SecretsByName {
  return new Map(secrets.map(({name, value, since}) => [name, {value, kind: undefined, since}]))
}

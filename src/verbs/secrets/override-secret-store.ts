import type {SecretStore, SecretsByName} from '../../kubernetes/records/secret-store.ts'
import type {DatedSecret, OverrideStore, StoredSecret} from '../../overrides/user/store.ts'

/** Returns the override store as a store of secrets; it does not know their kinds. */
export function overrideSecretStore(store: Pick<OverrideStore, 'secrets' | 'putSecret'>): SecretStore {
  const list = async () => secretsByNamespace(await store.secrets())
  return {
    list,
    readOther: async () => undefined,
    read: async (namespace) => (await list()).get(namespace) ?? new Map(),
    async add(namespace, secrets, {replace = false} = {}) {
      for (const {name, value} of secrets) await store.putSecret({name, namespace, value}, {replace})
      return (await list()).get(namespace) ?? new Map()
    },
  }
}

/** Returns the secrets of a store as a store of secrets lists them. */
export function secretsByNamespace(
  secrets: readonly (StoredSecret & Partial<DatedSecret>)[],
): ReadonlyMap<string, SecretsByName> {
  const groups = Map.groupBy(secrets, ({namespace}) => namespace)
  return new Map([...groups].map(([namespace, each]) => [namespace, byName(each)]))
}

function byName(secrets: readonly (StoredSecret & Partial<DatedSecret>)[]): SecretsByName {
  return new Map(secrets.map(({name, value, since}) => [name, {value, kind: undefined, since}]))
}

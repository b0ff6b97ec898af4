import type {SecretPlace} from '../../verbs/secrets/list-secrets.ts'
import {clusterKeeper, type SecretKeeper, storeKeeper} from '../../verbs/secrets/secret-keeper.ts'
import type {StoreFlags} from '../open/store.ts'
import {openChosenCluster} from '../open.ts'
import {namedEnvironment, onStore} from '../overrides/open-overrides.ts'

export interface KeeperFlags extends StoreFlags {
  readonly in: SecretPlace
  readonly environment?: string | undefined
}

/** Works on the secrets of the cluster, or with `--in store` of the store, which nothing but a change makes. */
export async function onKeeper<T>(
  flags: KeeperFlags,
  {changes, say}: {readonly changes: boolean; readonly say: (line: string) => void},
  body: (keeper: SecretKeeper) => Promise<T>,
): Promise<T> {
  const environment = await namedEnvironment(flags)
  if (flags.in === 'store') {
    return onStore(flags, {changes, say, environment}, (store) => body(storeKeeper(store ?? NO_STORE)))
  }
  const cluster = await openChosenCluster(flags, environment, {start: false, say})
  return body(clusterKeeper(cluster)).finally(() => cluster.close())
}

/** What a store without secrets says. */
const NO_STORE: Parameters<typeof storeKeeper>[0] = {
  secrets: async () => [],
  putSecret: async () => {
    throw new Error('a store that was opened to read cannot be written')
  },
}

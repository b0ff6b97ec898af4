import type {SecretPlace} from '../../verbs/secrets/list-secrets.ts'
import {clusterKeeper, type SecretKeeper, storeKeeper} from '../../verbs/secrets/secret-keeper.ts'
import {openStoreToChange, openStoreToRead, type StoreFlags, storePlace} from '../open/store.ts'
import {openChosenCluster} from '../open.ts'
import {namedEnvironment} from '../overrides/open-overrides.ts'

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
    const store = await (changes ? openStoreToChange : openStoreToRead)(flags, environment)
    if (!store) say(`no store of overrides yet at ${storePlace(flags, environment)}`)
    const empty = {
      secrets: async () => [],
      putSecret: async () => Promise.reject(new Error('not to be written')),
    }
    return body(storeKeeper(store ?? empty)).finally(() => store?.close())
  }
  const cluster = await openChosenCluster(flags, environment, {start: false, say})
  return body(clusterKeeper(cluster)).finally(() => cluster.close())
}

import {Flags} from '@oclif/core'
import type {SecretStore} from '../kubernetes/records/secret-store.ts'
import {overrideSecretStore} from '../verbs/secrets/override-secret-store.ts'
import {
  clusterFlags,
  documentFlags,
  type EnvironmentFlags,
  environmentFlags,
  type FlagValues,
  overrideFlags,
  type StoreFlags,
} from './flags.ts'
import {openChosenCluster} from './open/cluster.ts'
import {namedEnvironment, withStore} from './overrides/open-overrides.ts'

export const secretsFlags = {
  in: Flags.option({
    summary: 'Where the secrets are stored: in the cluster or, without one, in the override store.',
    options: ['cluster', 'store'] as const,
    default: 'cluster',
  })(),
  environment: {
    ...environmentFlags.environment,
    summary:
      'The environment, which determines the cluster and the releases that use each secret (also KK_ENVIRONMENT).',
  },
  store: overrideFlags.store,
  plugins: overrideFlags.plugins,
  ...documentFlags,
  ...clusterFlags,
}

export const namespaceFlag = {
  namespace: Flags.string({char: 'n', summary: 'The namespace of the releases.', helpValue: 'NAME'}),
}

type SecretStoreFlags = EnvironmentFlags & StoreFlags & Pick<FlagValues<typeof secretsFlags>, 'in'>

/**
 * Calls `body` with the secrets of the cluster, or with `--in store` of the override store, which only a
 * change creates.
 */
export async function withSecretStore<T>(
  flags: SecretStoreFlags,
  {changes, say}: {readonly changes: boolean; readonly say: (line: string) => void},
  body: (store: SecretStore) => Promise<T>,
): Promise<T> {
  const environment = await namedEnvironment(flags)
  if (flags.in === 'store') {
    return withStore(flags, {changes, say, environment}, (store) =>
      body(overrideSecretStore(store ?? EMPTY_STORE)),
    )
  }
  await using cluster = await openChosenCluster(flags, environment)
  return await body(cluster.secrets)
}

/** An empty store for reading, in place of one that does not exist. */
const EMPTY_STORE: Parameters<typeof overrideSecretStore>[0] = {
  secrets: async () => [],
  putSecret: async () => {
    throw new Error('a store that was opened for reading cannot be written')
  },
}

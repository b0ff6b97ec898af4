import {Flags} from '@oclif/core'
import {clusterKeeper, type SecretKeeper, storeKeeper} from '../verbs/secrets/secret-keeper.ts'
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
import {namedEnvironment, onStore} from './overrides/open-overrides.ts'

export const secretsFlags = {
  in: Flags.option({
    summary: 'Where they are kept: in the cluster or, for work without one, in the store of overrides.',
    options: ['cluster', 'store'] as const,
    default: 'cluster',
  })(),
  environment: {
    ...environmentFlags.environment,
    summary: 'The environment that says which cluster, and whose releases get which (also KK_ENVIRONMENT).',
  },
  store: overrideFlags.store,
  plugins: overrideFlags.plugins,
  ...documentFlags,
  ...clusterFlags,
}

export const namespaceFlag = {
  namespace: Flags.string({summary: 'The namespace of the releases.', helpValue: 'NAME'}),
}

type KeeperFlags = EnvironmentFlags & StoreFlags & Pick<FlagValues<typeof secretsFlags>, 'in'>

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
  await using cluster = await openChosenCluster(flags, environment)
  return await body(clusterKeeper(cluster.secrets))
}

/** Answers as a store without secrets. */
const NO_STORE: Parameters<typeof storeKeeper>[0] = {
  secrets: async () => [],
  putSecret: async () => {
    throw new Error('a store that was opened to read cannot be written')
  },
}

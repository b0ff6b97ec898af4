import type {SecretNeed} from '../plugin.ts'

/** Below which key a chart keeps what it shares with others: kk's own below `global`, openstack-helm's at the top. */
export type Tree = 'global' | 'own'

interface Needs {
  readonly tree: Tree
  /** Accounts per endpoint, each with a password. */
  readonly accounts?: Readonly<Record<string, readonly string[]>>
  /** The service encrypts what it keeps in memcached. */
  readonly cache?: boolean
}

/** The passwords of accounts of endpoints, in openstack-helm's tree: `endpoints.<endpoint>.auth.<account>.password`. */
export function endpointSecrets({tree, accounts = {}, cache = false}: Needs): readonly SecretNeed[] {
  const passwords = Object.entries(accounts).flatMap(([endpoint, names]) =>
    names.map((name) => endpointSecret(tree, endpoint, name, 'password')),
  )
  return cache ? [...passwords, endpointSecret(tree, 'oslo_cache', 'memcache_secret_key')] : passwords
}

/** One secret below `auth` of an endpoint; its name is its place without what is the same for all. */
export function endpointSecret(tree: Tree, endpoint: string, ...rest: readonly string[]): SecretNeed {
  const root = tree === 'global' ? ['global', 'endpoints'] : ['endpoints']
  return {
    name: [endpoint, ...rest].join('.'),
    kind: 'password',
    path: [...root, endpoint, 'auth', ...rest],
  }
}

/** What a service of openstack-helm's needs: a database, the message bus, an account, and the administrators of each. */
export function serviceSecrets(
  service: string,
  without: readonly ('oslo_db' | 'oslo_messaging')[] = [],
): readonly SecretNeed[] {
  const shared = (['oslo_db', 'oslo_messaging'] as const).filter((endpoint) => !without.includes(endpoint))
  const accounts = Object.fromEntries(
    [...shared, 'identity'].map((endpoint) => [endpoint, ['admin', service]]),
  )
  return endpointSecrets({tree: 'own', accounts, cache: true})
}

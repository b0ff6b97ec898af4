import {readFileSync} from 'node:fs'
import {validateHeaderValue} from 'node:http'
import {createSecureContext} from 'node:tls'
import {KkError} from '../../base/errors.ts'
import {redactor} from '../../redact/redact.ts'
import {clientCredentials} from './client-credentials.ts'
import type {Credentials, Headers, TlsOptions} from './credentials.ts'
import {type PluginCredentials, PluginError, runPlugin} from './exec-plugin.ts'
import type {ClusterAccess, KubeconfigUser} from './kubeconfig.ts'

/**
 * Returns a reader of a kubeconfig user's credentials. Files are read at every call; the credentials of a
 * plugin are cached until they expire. Token providers and SOCKS proxies use the Kubernetes client, whose
 * import takes 60 ms longer than everything else. The reader throws `KK_KUBECONFIG`.
 */
export function credentialReader(
  access: ClusterAccess,
  pluginMilliseconds?: number,
): () => Promise<Credentials> {
  const {user, proxy} = access
  const needsClient = user['auth-provider'] || /^socks/i.test(proxy ?? '')
  let pluginCredentials: PluginCredentials | undefined
  const byPlugin = async () => {
    if (!user.exec || user.token || user.tokenFile || user.username) return user
    if (!pluginCredentials || pluginCredentials.expires <= Date.now())
      pluginCredentials = await runPlugin(access, user.exec, pluginMilliseconds)
    return withPlugin(user, pluginCredentials)
  }
  const byClient = clientCredentials(access)
  return async () => {
    try {
      refuseUnusable(access)
      const own = {...access, user: await byPlugin()}
      const identity = impersonation(user)
      const plain = {tls: tlsOptions(own), headers: authorizationHeaders(own)}
      const credentials = needsClient ? await byClient(own.user) : plain
      if (user['auth-provider'] && !credentials.headers['authorization'])
        throw new Error(
          'its auth-provider oidc gave no token: id-token has run out, and there is no refresh-token',
        )
      const headers = {...credentials.headers, ...identity}
      for (const [name, value] of Object.entries(headers))
        for (const each of [value].flat()) validateHeaderValue(name, each)
      return {...credentials, headers}
    } catch (error) {
      throw noCredentials(access, error)
    }
  }
}

/** Returns the user with the credentials of its plugin. */
function withPlugin(
  {exec: _, ...user}: KubeconfigUser,
  {token, clientCertificateData: certificate, clientKeyData: key}: PluginCredentials,
): KubeconfigUser {
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  return {
    ...user,
    ...(token && {token}),
    ...(certificate && {'client-certificate-data': encoded(certificate)}),
    ...(key && {'client-key-data': encoded(key)}),
  }
}

/**
 * Returns the headers of impersonation (client-go: transport/round_trippers.go). Throws for groups, a UID or
 * extra fields without a user name, as client-go does (clientcmd/validation.go): the request would have all
 * rights of the user itself.
 */
function impersonation(user: KubeconfigUser): Headers {
  const {as: name, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra} = user
  const more = Object.entries(extra ?? {}).map(([key, values]) => [
    `impersonate-extra-${escapedName(key)}`,
    values ?? [],
  ])
  if (!name && (uid || groups?.length || more.length > 0))
    throw new Error(
      'its user has as-uid, as-groups or as-user-extra without as: the user to act as is missing',
    )
  return {
    ...(name && {'impersonate-user': name}),
    ...(uid && {'impersonate-uid': uid}),
    ...(groups?.length && {'impersonate-group': groups}),
    ...Object.fromEntries(more),
  }
}

/** Escapes characters that a header's name must not have (client-go: headerKeyEscape). */
function escapedName(key: string): string {
  const bytes = [...Buffer.from(key)]
  return bytes
    .map((byte) => {
      const character = String.fromCharCode(byte)
      const isPlain = /^[!#$&'*+.^_`|~0-9A-Za-z-]$/.test(character)
      return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

interface Provider {
  readonly name?: string | null
  readonly config?: Readonly<Record<string, unknown>> | null
}

/** The keys without which the Kubernetes client sends requests anonymously. */
const OIDC_KEYS = ['client-id', 'id-token', 'idp-issuer-url']

/** Throws for settings for which the Kubernetes client would throw an unspecific error. */
function refuseUnusable({cluster, user}: ClusterAccess): void {
  const provider = user['auth-provider'] as Provider | null | undefined
  if (provider && provider.name !== 'oidc')
    throw new Error(
      'its user has auth-provider, which is removed in Kubernetes 1.26: use exec with a credential plugin',
    )
  const missing = provider ? OIDC_KEYS.filter((key) => !provider.config?.[key]) : []
  if (missing.length > 0)
    throw new Error(`its auth-provider oidc lacks ${missing.join(', ')} below config: add them, or use exec`)
  const proxy = cluster['proxy-url']
  // An address that cannot be parsed is not printed: it may hold a password.
  if (proxy && !/^(?:https?|socks[45]?[ah]?):$/.test(URL.parse(proxy)?.protocol ?? ''))
    throw new Error(
      'proxy-url of its cluster is no address of a proxy: expected http://HOST:PORT, https:// or socks5://',
    )
}

/**
 * Returns the error for a user whose credentials cannot be read or used, masked: a plugin may print the
 * secrets of the user's entry.
 */
export function noCredentials(access: ClusterAccess, error: unknown): KkError {
  return new KkError(
    'KK_KUBECONFIG',
    `no credentials for context "${access.context}": ${redactor({user: access.user})(describeFailure(access, error))}`,
    {
      cause: error,
      hint:
        (error instanceof PluginError && error.hint) ||
        'try the same context with kubectl, and repair its user in the kubeconfig',
    },
  )
}

function tlsOptions({cluster, user}: ClusterAccess): TlsOptions {
  const all = {
    ca: material(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert: material(user['client-certificate-data'], user['client-certificate']),
    key: material(user['client-key-data'], user['client-key']),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] ? false : undefined,
    servername: cluster['tls-server-name'],
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Returns the bytes of a certificate or key; data wins over a file (client-go: overrides.go). */
function material(data: string | undefined, file: string | undefined): Buffer | undefined {
  if (data) return Buffer.from(data, 'base64')
  return file ? readFileSync(file) : undefined
}

/**
 * Returns the headers of a user. A token file wins over a token, because it is rotated (client-go:
 * transport/config.go).
 */
function authorizationHeaders({user}: ClusterAccess): Record<string, string> {
  const token = user.tokenFile ? readFileSync(user.tokenFile, 'utf8').trim() : user.token
  const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
  return {
    ...(user.username && {authorization: `Basic ${basic}`}),
    ...(token && {authorization: `Bearer ${token}`}),
  }
}

function describeFailure(access: ClusterAccess, error: unknown): string {
  const {user} = access
  const {code, path, message} = error as NodeJS.ErrnoException
  if (code === 'ERR_INVALID_CHAR')
    return 'its token, or the user to act as, holds a line break or another character that no header can have'
  if (error instanceof PluginError) return message
  // The content of a token or an address is not printed.
  if (user['auth-provider'] && (error instanceof SyntaxError || error instanceof TypeError))
    return 'its auth-provider oidc cannot be used: expected a JSON Web Token as id-token and an address as idp-issuer-url below config, or exec in its place'
  const isOfKey = code?.startsWith('ERR_OSSL') || message?.startsWith('error:')
  const wrong = code || isOfKey ? wrongMaterial(access) : undefined
  if (wrong) return wrong
  if (isOfKey)
    return user.exec
      ? 'the credential plugin gave a certificate and a key that cannot be used: expected a pair in PEM'
      : 'client-certificate and client-key cannot be used: expected a pair that belongs together'
  if (code && path) return `${path}: ${code}`
  return message?.trim().split('\n', 1)[0] || 'no reason pluginCredentials'
}

/**
 * Returns what was expected at the first key whose file cannot be read, or which holds no certificate or key;
 * undefined if all can be used.
 */
function wrongMaterial({cluster, user}: ClusterAccess): string | undefined {
  const places = [
    ['certificate-authority', cluster, 'ca', 'a certificate'],
    ['client-certificate', user, 'cert', 'a certificate'],
    ['client-key', user, 'key', 'a key without a passphrase'],
  ] as const
  for (const [key, entry, option, what] of places) {
    const fields = entry as Readonly<Record<string, string | undefined>>
    const [data, file] = [fields[`${key}-data`], fields[key]]
    const unread = data ? undefined : wrongFile(key, file)
    if (unread) return unread
    try {
      createSecureContext({[option]: material(data, file)})
    } catch {
      const [at, form] = data ? [`${key}-data`, 'PEM, in base64'] : [`${key} ${file}`, 'PEM']
      return `${at}: expected ${what} in ${form}`
    }
  }
  return wrongFile('tokenFile', user.tokenFile)
}

function wrongFile(key: string, file: string | undefined): string | undefined {
  if (!file) return undefined
  try {
    readFileSync(file)
    return undefined
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    return `${key} ${file}: expected a file, got ${code === 'EISDIR' ? 'a directory' : code}`
  }
}

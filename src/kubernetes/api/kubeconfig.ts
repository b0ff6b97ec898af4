import {existsSync, readFileSync} from 'node:fs'
import {delimiter, dirname, join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {type JsonSchema, validate} from '../../base/validate.ts'
import {readYaml} from '../../yaml/yaml.ts'

export interface KubeconfigOptions {
  /** The kubeconfig's file. Defaults to the files of `KUBECONFIG`, else `~/.kube/config`. */
  readonly kubeconfig?: string | undefined
  /** The context. Defaults to the kubeconfig's current context. */
  readonly context?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The access to one cluster. */
export interface ClusterAccess {
  readonly context: string
  readonly server: string
  /** The file that was named; undefined if it is the default or from `KUBECONFIG`. */
  readonly kubeconfig: string | undefined
  /** Whether it is the access of the pod in which kk runs, whose context no kubeconfig has. */
  readonly isOfPod?: true
  /** The proxy of the kubeconfig or of the environment. */
  readonly proxy?: string
  readonly cluster: KubeconfigCluster
  readonly user: KubeconfigUser
}

/** The part of a cluster's entry that kk reads; paths are absolute. */
interface KubeconfigCluster {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
  readonly 'disable-compression'?: boolean
  readonly extensions?: readonly (Named & {readonly extension?: unknown})[] | null
}

/** The part of a user's entry that kk reads; paths are absolute. */
export interface KubeconfigUser {
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly as?: string
  readonly 'as-uid'?: string
  readonly 'as-groups'?: readonly string[] | null
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[] | null>> | null
  readonly exec?: ExecConfig | null
  readonly 'auth-provider'?: unknown
}

/** A credential plugin. */
export interface ExecConfig {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly {readonly name?: string; readonly value?: string}[] | null
  readonly provideClusterInfo?: boolean | null
  readonly interactiveMode?: string | null
  readonly installHint?: string | null
}

interface Named {
  readonly name?: string
}

interface Kubeconfig {
  readonly 'current-context'?: string
  readonly contexts?: readonly (Named & {
    readonly context?: {readonly cluster?: string; readonly user?: string}
  })[]
  readonly clusters?: readonly (Named & {readonly cluster?: KubeconfigCluster})[]
  readonly users?: readonly (Named & {readonly user?: KubeconfigUser})[]
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const

/**
 * Reads the kubeconfig as kubectl does: of several files, the first with a name wins. Throws `KK_KUBECONFIG`.
 */
export function readKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const configs = kubeconfigFiles(options).map(readOne)
  const contexts = configs.flatMap((config) => config.contexts ?? [])
  const name =
    options.context ?? (configs.map((config) => config['current-context']).find(Boolean) || undefined)
  const names = [...new Set(contexts.map((context) => context.name ?? ''))]
  if (name === undefined) throw noContext('no context was named and the kubeconfig has no current one', names)
  const entry = contexts.find((candidate) => candidate.name === name)
  if (entry === undefined) throw noContext(`the kubeconfig has no context "${name}"`, names, name)

  const {cluster: clusterName, user: userName} = entry.context ?? {}
  const clusters = configs.flatMap((config) => config.clusters ?? [])
  const users = configs.flatMap((config) => config.users ?? [])
  const cluster = clusters.find((candidate) => candidate.name === clusterName)?.cluster
  if (!cluster?.server) {
    throw kubeconfigError(
      `context "${name}" names the cluster "${clusterName}", which the kubeconfig does not have`,
    )
  }
  const user = users.find((candidate) => candidate.name === userName)?.user ?? {}
  const server = parseServerAddress(cluster.server, `the cluster "${clusterName}" of context "${name}"`)
  return {context: name, server, kubeconfig: options.kubeconfig, cluster, user}
}

/**
 * Returns the normalised address of an API server, to which paths are appended. Throws `KK_KUBECONFIG` for a
 * string that is no such address.
 */
export function parseServerAddress(text: string, origin: string): string {
  const url = URL.parse(text)
  const what = `the server of ${origin} is no address of an API server`
  // An address that cannot be parsed is not printed: it may hold a password.
  if (!url || !/^https?:\/\//i.test(text)) throw kubeconfigError(`${what}: expected https://HOST:PORT`)
  if (url.username || url.password)
    throw kubeconfigError(`${what}: it contains a user, which belongs below users`)
  if (url.search || url.hash)
    throw kubeconfigError(`${what}: expected https://HOST:PORT, got a query or a fragment`)
  return text
    .trim()
    .replace(/^https?/i, (scheme) => scheme.toLowerCase())
    .replace(/\/+$/, '')
}

/**
 * Returns the files of the kubeconfig. As with kubectl, files of KUBECONFIG may be missing; a named file may
 * not.
 */
function kubeconfigFiles({kubeconfig, env}: KubeconfigOptions): string[] {
  if (kubeconfig !== undefined) {
    if (existsSync(kubeconfig)) return [kubeconfig]
    throw kubeconfigError(`the kubeconfig ${kubeconfig} does not exist`)
  }
  const fromVariable = (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean)
  const defaultFile = env.HOME ? [join(env.HOME, '.kube', 'config')] : []
  const candidates = fromVariable.length > 0 ? fromVariable : defaultFile
  const existing = candidates.filter((file) => existsSync(file))
  if (existing.length > 0) return existing
  throw kubeconfigError(
    `no kubeconfig was found (${candidates.join(', ') || 'neither KUBECONFIG nor HOME is set'})`,
  )
}

/**
 * Reads one file; an empty file, as kubectl leaves it after its last context is deleted, has no entries.
 * Errors name only the place, because a parser's message may quote a secret.
 */
function readOne(file: string): Kubeconfig {
  const read = readDocument(file) ?? {}
  const [problem] = validate(KUBECONFIG, read, {isSecret: true})
  if (problem) {
    const {path, expected, got} = problem
    const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
    throw kubeconfigError(
      `${file} is not a kubeconfig: ${place.slice(1) || 'it'} is ${got}, expected ${expected}`,
    )
  }
  return withAbsolutePaths(read as Kubeconfig, dirname(file))
}

function readDocument(file: string): unknown {
  try {
    return readYaml(readFileSync(file, 'utf8'), {file})
  } catch (error) {
    const {message, code} = error as NodeJS.ErrnoException
    if (code !== 'KK_YAML')
      throw kubeconfigError(`${file} is not a kubeconfig: ${code ?? 'it cannot be read'}`)
    const place = /^:\d+:\d+/.exec(message.slice(file.length))?.[0] ?? ''
    throw kubeconfigError(`${file}${place} is not a kubeconfig: it is not YAML`)
  }
}

const STRING: JsonSchema = {title: 'a string: write it in quotes', type: ['string', 'null']}
const FLAG: JsonSchema = {title: 'true or false', type: ['boolean', 'null']}
const list = (items: JsonSchema): JsonSchema => ({title: 'a list', type: ['array', 'null'], items})
const map = (
  strings: readonly string[],
  properties: JsonSchema['properties'] = {},
  additionalProperties: JsonSchema = {},
): JsonSchema => ({
  title: 'a map',
  type: ['object', 'null'],
  properties: {...Object.fromEntries(strings.map((key) => [key, STRING])), ...properties},
  additionalProperties,
})

/**
 * The parts of a kubeconfig that kk and the Kubernetes client read; null counts as absent, and all other
 * parts are ignored. client-go: clientcmd/api/v1/types.go
 */
const KUBECONFIG = map(['current-context'], {
  contexts: list(map(['name'], {context: map(['cluster', 'user', 'namespace'])})),
  clusters: list(
    map(['name'], {
      cluster: map(
        [
          ...['server', 'certificate-authority', 'certificate-authority-data'],
          ...['tls-server-name', 'proxy-url'],
        ],
        {
          'insecure-skip-tls-verify': FLAG,
          'disable-compression': FLAG,
          extensions: list(map(['name'])),
        },
      ),
    }),
  ),
  users: list(
    map(['name'], {
      user: map(
        [
          ...['token', 'tokenFile', 'username', 'password', 'as', 'as-uid'],
          ...['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'],
        ],
        {
          'as-groups': list(STRING),
          'as-user-extra': map([], {}, list(STRING)),
          exec: map(['apiVersion', 'command', 'interactiveMode', 'installHint'], {
            provideClusterInfo: FLAG,
            args: list(STRING),
            env: list(map(['name', 'value'])),
          }),
          'auth-provider': map(['name'], {config: map([])}),
        },
      ),
    }),
  ),
})

/** Returns the kubeconfig with absolute paths; in the file they are relative to its directory. */
function withAbsolutePaths(config: Kubeconfig, directory: string): Kubeconfig {
  const absolute = <T extends object>(entry: T | undefined): T => {
    const entries = Object.entries(entry ?? {})
    const paths = entries.filter(([key, value]) => (PATHS as readonly string[]).includes(key) && value)
    return {
      ...entry,
      ...Object.fromEntries(paths.map(([key, value]) => [key, resolve(directory, String(value))])),
    } as T
  }
  const present = <T>(list: readonly (T | null)[] | null | undefined) =>
    (list ?? []).filter((entry) => entry !== null)
  return {
    ...config,
    contexts: present(config.contexts),
    clusters: present(config.clusters).map((named) => ({...named, cluster: absolute(named.cluster)})),
    users: present(config.users).map((named) => ({
      ...named,
      user: withAbsoluteCommand(absolute(named.user), directory),
    })),
  }
}

/**
 * A command without a slash is looked up on PATH (client-go: clientcmd/loader.go GetAuthInfoFileReferences).
 */
function withAbsoluteCommand(user: KubeconfigUser, directory: string): KubeconfigUser {
  const {command} = user.exec ?? {}
  if (!command?.includes('/')) return user
  return {...user, exec: {...user.exec, command: resolve(directory, command)}}
}

function noContext(message: string, names: readonly string[], wanted?: string): KkError {
  const similar = wanted && names.find((name) => isSimilar(name, wanted))
  const available = names.length > 0 ? `it has ${names.map((name) => `"${name}"`).join(', ')}` : 'it has none'
  return new KkError('KK_KUBECONFIG', `${message}; ${available}`, {
    hint: similar ? `did you mean --context ${similar}?` : 'name one with --context',
  })
}

function isSimilar(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a.includes(b) || b.includes(a) || a.slice(0, 4) === b.slice(0, 4)
}

function kubeconfigError(message: string): KkError {
  return new KkError('KK_KUBECONFIG', message, {
    hint: 'name a kubeconfig with --kubeconfig or KUBECONFIG, or use --sandbox for a throwaway cluster',
  })
}

import {existsSync, readFileSync} from 'node:fs'
import {delimiter, dirname, join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {type JsonSchema, validate} from '../../base/validate.ts'
import {readYaml} from '../../yaml/yaml.ts'

export interface KubeconfigOptions {
  /** The kubeconfig's file; by default the files that `KUBECONFIG` lists, else `~/.kube/config`. */
  readonly kubeconfig?: string | undefined
  /** The context; by default the kubeconfig's current one. */
  readonly context?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The access to one cluster. */
export interface ClusterAccess {
  readonly context: string
  readonly server: string
  /** The file that was named; undefined if it was found by `KUBECONFIG` or in its usual place. */
  readonly kubeconfig: string | undefined
  /** It is that of the pod in which kk runs, so that no kubeconfig has the context. */
  readonly isOfPod?: true
  /** The proxy on the way to the server, be it of the kubeconfig or of the environment. */
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

/** Reads the kubeconfig as kubectl does: the first of several files that has a name wins. Throws `KK_KUBECONFIG`. */
export function readKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const configs = filesOf(options).map(readOne)
  const contexts = configs.flatMap((config) => config.contexts ?? [])
  const name =
    options.context ?? (configs.map((config) => config['current-context']).find(Boolean) || undefined)
  const names = [...new Set(contexts.map((context) => context.name ?? ''))]
  if (name === undefined) throw noContext('no context was named and the kubeconfig has no current one', names)
  const found = contexts.find((candidate) => candidate.name === name)
  if (found === undefined) throw noContext(`the kubeconfig has no context "${name}"`, names, name)

  const {cluster: clusterName, user: userName} = found.context ?? {}
  const clusters = configs.flatMap((config) => config.clusters ?? [])
  const users = configs.flatMap((config) => config.users ?? [])
  const cluster = clusters.find((candidate) => candidate.name === clusterName)?.cluster
  if (!cluster?.server) {
    throw broken(`context "${name}" names the cluster "${clusterName}", which the kubeconfig does not have`)
  }
  const user = users.find((candidate) => candidate.name === userName)?.user ?? {}
  const server = serverOf(cluster.server, `the cluster "${clusterName}" of context "${name}"`)
  return {context: name, server, kubeconfig: options.kubeconfig, cluster, user}
}

/**
 * Returns the address of an API server in the form that paths are appended to. Throws `KK_KUBECONFIG` for a text that
 * is no such address.
 */
export function serverOf(text: string, whose: string): string {
  const url = URL.parse(text)
  const what = `the server of ${whose} is no address of an API server`
  // An address that cannot be parsed is not repeated: it may hold a password.
  if (!url || !/^https?:\/\//i.test(text)) throw broken(`${what}: expected https://HOST:PORT`)
  if (url.username || url.password) throw broken(`${what}: it holds a user, who belongs below users`)
  if (url.search || url.hash) throw broken(`${what}: expected https://HOST:PORT, got more behind it`)
  return text
    .trim()
    .replace(/^https?/i, (scheme) => scheme.toLowerCase())
    .replace(/\/+$/, '')
}

/**
 * Returns the files of the kubeconfig. Files that KUBECONFIG lists may be missing, as for kubectl; one that was named
 * may not.
 */
function filesOf({kubeconfig, env}: KubeconfigOptions): string[] {
  if (kubeconfig !== undefined) {
    if (existsSync(kubeconfig)) return [kubeconfig]
    throw broken(`the kubeconfig ${kubeconfig} does not exist`)
  }
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean)
  const usual = env.HOME ? [join(env.HOME, '.kube', 'config')] : []
  const candidates = listed.length > 0 ? listed : usual
  const found = candidates.filter((file) => existsSync(file))
  if (found.length > 0) return found
  throw broken(`no kubeconfig was found (${candidates.join(', ') || 'neither KUBECONFIG nor HOME is set'})`)
}

/**
 * Reads one file; an empty one, as kubectl leaves it when its last context is deleted, has nothing. Errors name only the
 * place, for a parser's message may quote a secret.
 */
function readOne(file: string): Kubeconfig {
  const read = readDocument(file) ?? {}
  const [problem] = validate(KUBECONFIG, read, {isSecret: true})
  if (problem) {
    const {path, expected, got} = problem
    const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
    throw broken(`${file} is not a kubeconfig: ${place.slice(1) || 'it'} is ${got}, expected ${expected}`)
  }
  return withAbsolutePaths(read as Kubeconfig, dirname(file))
}

function readDocument(file: string): unknown {
  try {
    return readYaml(readFileSync(file, 'utf8'), {file})
  } catch (error) {
    const {message, code} = error as NodeJS.ErrnoException
    if (code !== 'KK_YAML') throw broken(`${file} is not a kubeconfig: ${code ?? 'it cannot be read'}`)
    const place = /^:\d+:\d+/.exec(message.slice(file.length))?.[0] ?? ''
    throw broken(`${file}${place} is not a kubeconfig: it is not YAML`)
  }
}

const TEXT: JsonSchema = {title: 'a string: write it in quotes', type: ['string', 'null']}
const FLAG: JsonSchema = {title: 'true or false', type: ['boolean', 'null']}
const list = (items: JsonSchema): JsonSchema => ({title: 'a list', type: ['array', 'null'], items})
const map = (
  texts: readonly string[],
  properties: JsonSchema['properties'] = {},
  additionalProperties: JsonSchema = {},
): JsonSchema => ({
  title: 'a map',
  type: ['object', 'null'],
  properties: {...Object.fromEntries(texts.map((key) => [key, TEXT])), ...properties},
  additionalProperties,
})

/**
 * The parts of a kubeconfig that kk and the Kubernetes client read; null counts as absent, and everything else is
 * ignored. client-go: clientcmd/api/v1/types.go
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
          'as-groups': list(TEXT),
          'as-user-extra': map([], {}, list(TEXT)),
          exec: map(['apiVersion', 'command', 'interactiveMode', 'installHint'], {
            provideClusterInfo: FLAG,
            args: list(TEXT),
            env: list(map(['name', 'value'])),
          }),
          'auth-provider': map(['name'], {config: map([])}),
        },
      ),
    }),
  ),
})

/** Returns the kubeconfig with absolute paths, which are relative to the file. */
function withAbsolutePaths(config: Kubeconfig, directory: string): Kubeconfig {
  const absolute = <T extends object>(entry: T | undefined): T => {
    const given = Object.entries(entry ?? {})
    const paths = given.filter(([key, value]) => (PATHS as readonly string[]).includes(key) && value)
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

/** A command without a slash is looked for on PATH (client-go: clientcmd/loader.go GetAuthInfoFileReferences). */
function withAbsoluteCommand(user: KubeconfigUser, directory: string): KubeconfigUser {
  const {command} = user.exec ?? {}
  if (!command?.includes('/')) return user
  return {...user, exec: {...user.exec, command: resolve(directory, command)}}
}

function noContext(message: string, names: readonly string[], wanted?: string): KkError {
  const similar = wanted && names.find((name) => alike(name, wanted))
  const known = names.length > 0 ? `it has ${names.map((name) => `"${name}"`).join(', ')}` : 'it has none'
  return new KkError('KK_KUBECONFIG', `${message}; ${known}`, {
    hint: similar ? `did you mean --context ${similar}?` : 'name one with --context',
  })
}

function alike(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a.includes(b) || b.includes(a) || a.slice(0, 4) === b.slice(0, 4)
}

function broken(message: string): KkError {
  return new KkError('KK_KUBECONFIG', message, {
    hint: 'name a kubeconfig with --kubeconfig or KUBECONFIG, or use --sandbox for a throwaway cluster',
  })
}

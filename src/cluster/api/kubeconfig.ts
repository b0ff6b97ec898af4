import {existsSync, readFileSync} from 'node:fs'
import {delimiter, dirname, join, resolve} from 'node:path'
import {load} from 'js-yaml'
import {KkError} from '../../errors.ts'

export interface KubeconfigOptions {
  /** A file; by default those that `KUBECONFIG` lists, else `~/.kube/config`. */
  readonly kubeconfig?: string | undefined
  /** By default the kubeconfig's current context. */
  readonly context?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The way to one cluster. */
export interface ClusterAccess {
  readonly context: string
  readonly server: string
  /** The file that was named; undefined when it was found by `KUBECONFIG` or in its usual place. */
  readonly kubeconfig: string | undefined
  readonly cluster: KubeconfigCluster
  readonly user: KubeconfigUser
}

/** What kk reads of a cluster's entry; paths are absolute. */
export interface KubeconfigCluster {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
}

/** What kk reads of a user's entry; paths are absolute. */
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
  readonly exec?: {readonly command?: string; readonly [key: string]: unknown}
  readonly 'auth-provider'?: unknown
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

/** Reads the kubeconfig as kubectl does: of several files the first that has a name wins. Throws `KK_KUBECONFIG`. */
export function readKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const configs = filesOf(options).map(readOne)
  const contexts = configs.flatMap((config) => config.contexts ?? [])
  const name = options.context ?? configs.map((config) => config['current-context']).find(Boolean)
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
  const server = cluster.server.replace(/\/$/, '')
  return {context: name, server, kubeconfig: options.kubeconfig, cluster, user}
}

/** Files that KUBECONFIG lists may be missing, as for kubectl; one that was named may not. */
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

/** A parser's message quotes the line, which may hold a secret: only where it stands is told. */
function readOne(file: string): Kubeconfig {
  let read: unknown
  try {
    read = load(readFileSync(file, 'utf8'))
  } catch (error) {
    const {reason, mark, code} = error as {
      reason?: string
      mark?: {line: number; column: number}
      code?: string
    }
    const where = mark ? `${file}:${mark.line + 1}:${mark.column + 1}` : file
    throw broken(`${where} is not a kubeconfig: ${reason ?? code ?? 'it cannot be read'}`)
  }
  if (typeof read !== 'object' || read === null) throw broken(`${file} is not a kubeconfig: it is not a map`)
  return withAbsolutePaths(read as Kubeconfig, dirname(file))
}

/** Paths in a kubeconfig are relative to it. */
function withAbsolutePaths(config: Kubeconfig, directory: string): Kubeconfig {
  const absolute = <T extends object>(entry: T | undefined): T => {
    const given = Object.entries(entry ?? {})
    const paths = given.filter(([key, value]) => (PATHS as readonly string[]).includes(key) && value)
    return {
      ...entry,
      ...Object.fromEntries(paths.map(([key, value]) => [key, resolve(directory, String(value))])),
    } as T
  }
  return {
    ...config,
    clusters: (config.clusters ?? []).map((named) => ({...named, cluster: absolute(named.cluster)})),
    users: (config.users ?? []).map((named) => ({...named, user: absolute(named.user)})),
  }
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

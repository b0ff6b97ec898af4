import {mkdir, mkdtemp, readdir, readFile, writeFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import {basename, join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {makeDirectory} from '../state/files/make-directory.ts'
import {readYaml} from '../yaml/yaml.ts'
import {childEnvironment, type ProcessEnvironment} from './child-environment.ts'
import {hostOf, splitCredentials, trimSlash, withoutCredentials} from './package-url.ts'
import {type HelmOutcome, runHelm} from './run.ts'

/** A source of packaged charts: an index over http(s), or a registry (`oci://`). */
interface PackageSource {
  readonly kind: 'repository' | 'oci'
  /** The URL of a repository may contain a user and password. */
  readonly url: string
  /** Whether the registry has no TLS; detected automatically for one on the loopback interface. */
  readonly plain?: boolean
  /**
   * The file of trusted public keys. If set, a package must be signed by one of them and is pulled with its
   * provenance.
   */
  readonly keyring?: string
}

export interface PackageRequest {
  readonly source: PackageSource
  readonly name: string
  /** A version or a constraint in Helm's syntax; defaults to the latest release. */
  readonly version?: string
  /** Fetch the provenance file next to the package, if there is one: `keystone-0.1.0.tgz.prov`. */
  readonly provenance?: 'fetch'
}

/**
 * Fetches and pushes packaged charts. Everything rejects with `KK_CHART`, whose message contains no
 * credentials.
 */
export interface Packages {
  /**
   * Puts the package into an empty directory and returns its path; undefined if the source does not have it.
   */
  pull(request: PackageRequest, directory: string): Promise<string | undefined>
  /** Returns the names of the charts of a source; empty for a registry, which does not list them. */
  names(source: PackageSource): Promise<readonly string[]>
  /** Returns the published index of a repository. */
  index(source: PackageSource): Promise<unknown>
  /** Pushes a package into the folder of a registry: `oci://host/charts`. Replaces an existing version. */
  push(file: string, source: PackageSource): Promise<void>
}

interface PackagesOptions {
  /** The helm binary. */
  readonly path: string
  readonly env: ProcessEnvironment
  /** A directory private to this run that the caller removes: contains indexes and the logins to them. */
  readonly directory: string
  readonly signal?: AbortSignal
  /** The timeout of one helm command. */
  readonly timeoutMilliseconds?: number
}

/** A chart has a few MB, the index of a large repository some tens of MB. */
const FETCH_TIMEOUT_MS = 300_000

/** The messages of both majors for a chart or version that a source does not have. */
const NOT_FOUND =
  /no chart (?:name|version) found|could not locate a version matching|: not found$|name unknown|manifest unknown|status code 404/im

const NO_TLS =
  /server gave HTTP response to HTTPS client|"http:\/\/.*status code 401|downgrades scheme from https/

/**
 * Returns packages that are fetched by `helm pull`, with the proxies, certificates and logins (`helm registry
 * login`, `helm repo add`) of the user. The index of a repository is fetched once. Throws `KK_HELM_DRIVER`.
 */
export function helmPackages({
  path,
  env,
  directory,
  signal,
  timeoutMilliseconds = FETCH_TIMEOUT_MS,
}: PackagesOptions): Packages {
  const child = childEnvironment(env)
  const helm: RunHelm = async (words) => {
    const outcome = await runHelm({
      path,
      arguments: words,
      env: child,
      timeoutMilliseconds,
      ...(signal && {signal}),
    })
    if (!outcome.timedOut) return outcome
    return {
      ...outcome,
      stderr: `Error: timed out after ${timeoutMilliseconds / 1000} s; helm was terminated`,
    }
  }
  const opened = new Map<string, Promise<Repository>>()
  const repository = (url: string) => {
    const opening = opened.get(url) ?? openRepository(url, {env, directory, helm})
    opened.set(url, opening)
    return opening
  }

  return {
    async pull(request, destination) {
      const {kind, url} = request.source
      const words =
        kind === 'oci' ? registryArguments(request, env) : repositoryArguments(request, await repository(url))
      const flags = ['pull', '--destination', destination, ...provenanceFlags(request)]
      const outcome = await transfer(helm, [...flags, ...words], request.source)
      if (outcome.exitCode === 0) return packageIn(destination)
      if (request.source.keyring !== undefined && SIGNATURE_FAILURE.test(outcome.stderr))
        throw signatureError(request, outcome)
      if (NOT_FOUND.test(outcome.stderr)) return undefined
      throw failure(`fetch the chart ${request.name} from`, url, outcome)
    },
    async names({kind, url}) {
      return kind === 'oci' ? [] : (await repository(url)).names()
    },
    index: async ({url}) => (await repository(url)).index(),
    async push(file, source) {
      const words = ['push', ...registryFlags(source.url, env), '--', file, trimSlash(source.url)]
      const outcome = await transfer(helm, words, source)
      if (outcome.exitCode !== 0) throw failure(`push ${basename(file)} to`, source.url, outcome)
    },
  }
}

/** The messages of both majors for a package without a valid signature. */
const SIGNATURE_FAILURE = /provenance|openpgp|signature|sha256 sum does not match|keyring|provided file sums/i

function provenanceFlags({source: {keyring}, provenance}: PackageRequest): readonly string[] {
  if (keyring !== undefined) return ['--verify', '--keyring', keyring]
  return provenance ? ['--prov'] : []
}

function signatureError({source: {url, keyring}, name}: PackageRequest, outcome: HelmOutcome): KkError {
  const reason = lastLine(outcome)
  if (reason.includes('failed to load keyring'))
    return new KkError('KK_FILE', `${keyring} contains no public keys that helm can read: ${reason}`, {
      hint: 'write them with gpg --export KEY > keys.gpg, without --armor',
    })
  return new KkError(
    'KK_PROVENANCE',
    `${withoutCredentials(url)}: ${name} has no valid signature: ${reason}`,
    {
      hint: `ask its publisher for the signing key; ${keyring} contains the keys that you trust`,
    },
  )
}

type RunHelm = (words: readonly string[]) => Promise<HelmOutcome>

/**
 * Runs a helm command on a registry; on this machine also without TLS, because local registries seldom have a
 * certificate. Helm 4 needs the flag; helm 3 falls back on its own, but then does not send the login.
 */
async function transfer(
  helm: RunHelm,
  [verb, ...words]: readonly string[],
  {url, plain = false}: PackageSource,
): Promise<HelmOutcome> {
  const overHttp = () => helm([verb!, '--plain-http', ...words])
  if (plain) return overHttp()
  const outcome = await helm([verb!, ...words])
  const isLocal = /^oci:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\])[:/]/.test(url)
  return outcome.exitCode === 0 || !isLocal || !NO_TLS.test(outcome.stderr) ? outcome : overHttp()
}

function repositoryArguments({name, version}: PackageRequest, {flags, reference}: Repository): string[] {
  return [...flags, ...versionFlag(version), '--', reference(name)]
}

/**
 * Returns the arguments for a chart: `oci://host/charts` is a folder, `oci://host/charts/keystone` is
 * keystone itself.
 */
function registryArguments({source, name, version}: PackageRequest, env: ProcessEnvironment): string[] {
  const url = trimSlash(source.url)
  return [
    ...registryFlags(url, env),
    ...versionFlag(version),
    '--',
    url.endsWith(`/${name}`) ? url : `${url}/${name}`,
  ]
}

/** Returns the flag for the user's logins. Throws `KK_CHART` for an address that contains a login. */
function registryFlags(url: string, env: ProcessEnvironment): string[] {
  const {address, username} = splitCredentials(url)
  if (username !== undefined)
    throw new KkError('KK_CHART', `expected ${address} without user and password`, {hint: loginHint(address)})
  return ['--registry-config', registryConfiguration(env)]
}

/** Returns the file in which the user's own helm stores registry logins. */
export function registryConfiguration(env: ProcessEnvironment): string {
  return env.HELM_REGISTRY_CONFIG || join(userConfiguration(env), 'registry', 'config.json')
}

function versionFlag(version: string | undefined): string[] {
  return version === undefined ? [] : ['--version', version]
}

async function packageIn(directory: string): Promise<string> {
  const file = (await readdir(directory)).find((name) => name.endsWith('.tgz'))
  if (file !== undefined) return join(directory, file)
  throw new KkError('KK_CHART', 'helm pull succeeded, but wrote no package', {hint: 'run helm pull manually'})
}

/** A separate helm configuration with one repository and its index. */
interface Repository {
  /** The flags of every helm command on it. */
  readonly flags: readonly string[]
  /** Returns helm's reference to a chart of the repository. */
  reference(chart: string): string
  /** Returns the names of the charts that the repository offers. */
  names(): Promise<readonly string[]>
  index(): Promise<unknown>
}

interface RepositoryOptions {
  readonly env: ProcessEnvironment
  /** A private directory, because the configuration contains the login. */
  readonly directory: string
  helm(words: readonly string[]): Promise<HelmOutcome>
}

const NAME = 'kk'

/**
 * Fetches the index of a repository, with the login in its URL or the one that the user saved by `helm repo
 * add`. Not by `helm pull --repo`, which accepts a password only in argv. Rejects with `KK_CHART`.
 */
async function openRepository(url: string, options: RepositoryOptions): Promise<Repository> {
  await makeDirectory(options.directory, {mode: 0o700})
  const directory = await mkdtemp(join(options.directory, 'repository-'))
  const config = join(directory, 'repositories.yaml')
  const cache = join(directory, 'cache')
  await mkdir(cache, {mode: 0o700})
  const file = {apiVersion: 'v1', repositories: [{...(await login(url, options.env)), name: NAME}]}
  await writeFile(config, JSON.stringify(file), {mode: 0o600})

  const flags = ['--repository-config', config, '--repository-cache', cache]
  const outcome = await options.helm(['repo', 'update', ...flags])
  // Helm 3 exits with 0 even if the index could not be fetched.
  const fetched = (await readdir(cache)).includes(`${NAME}-index.yaml`)
  if (outcome.exitCode !== 0 || !fetched) throw failure('fetch the index of charts from', url, outcome)
  return {
    flags,
    reference: (chart) => `${NAME}/${chart}`,
    async index() {
      const file = join(cache, `${NAME}-index.yaml`)
      return readYaml(await readFile(file, 'utf8'), {file})
    },
    async names() {
      const list = await readFile(join(cache, `${NAME}-charts.txt`), 'utf8').catch(() => '')
      return list.split('\n').filter((name) => name !== '')
    },
  }
}

interface RepositoryEntry {
  readonly url?: string
  readonly [key: string]: unknown
}

/**
 * Returns an entry of `repositories.yaml`: the login in the URL, else the user's entry, including
 * certificates.
 */
async function login(url: string, env: ProcessEnvironment): Promise<RepositoryEntry> {
  const {address, username, password} = splitCredentials(url)
  if (username !== undefined) return {url: address, username, password}
  const file = env.HELM_REPOSITORY_CONFIG || join(userConfiguration(env), 'repositories.yaml')
  const text = await readFile(file, 'utf8').catch(() => '')
  const {repositories} = (readYaml(text, {file}) ?? {}) as {repositories?: readonly RepositoryEntry[] | null}
  const saved = repositories?.find((entry) => trimSlash(entry.url ?? '') === trimSlash(address))
  return {...saved, url: address}
}

/**
 * Returns the directory in which the user's own helm stores logins and repositories: `helmpath.ConfigPath`.
 */
function userConfiguration(env: ProcessEnvironment): string {
  if (env.HELM_CONFIG_HOME) return env.HELM_CONFIG_HOME
  const folder = process.platform === 'darwin' ? 'Library/Preferences' : '.config'
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), folder), 'helm')
}

const SUMMARY = /^Update Complete|^Error: failed to update the following|^Hang tight/
const NO_LOGIN = /\b(?:401|403)\b|credential|unauthorized|denied/i

/** Returns helm's error for a failed fetch or push as `KK_CHART`; the URL is shown without credentials. */
function failure(what: string, url: string, outcome: HelmOutcome): KkError {
  const reason = lastLine(outcome)
  return new KkError('KK_CHART', `cannot ${what} ${withoutCredentials(url)}: ${reason}`, {
    hint: NO_LOGIN.test(reason) ? loginHint(url) : `check the address, the network and the proxy`,
  })
}

/** Returns the last informative line of helm's output, without credentials. */
function lastLine({stdout, stderr}: HelmOutcome): string {
  const lines = `${stdout}\n${stderr}`.split('\n').map((line) => line.trim())
  const last = lines.findLast((line) => line !== '' && !SUMMARY.test(line)) ?? 'helm printed nothing'
  return last.replace(/^Error: /, '').replaceAll(/:\/\/[^\s/@]*@/g, '://')
}

/** Returns the hint for passing a user and password to helm, and so to kk. */
function loginHint(url: string): string {
  return url.startsWith('oci:')
    ? `log in with helm registry login ${hostOf(url)}`
    : `log in with helm repo add --username NAME --password-stdin: kk uses the login that it saves for ${hostOf(url)}`
}

import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../errors.ts'
import {childEnvironment, type ProcessEnvironment} from './child-environment.ts'
import {splitCredentials, trimSlash} from './pull/package-url.ts'
import {loginHint, pullFailure} from './pull/pull-failure.ts'
import {openRepository, type Repository} from './pull/repository.ts'
import {userConfiguration} from './pull/user-configuration.ts'
import {type HelmOutcome, runHelm} from './run.ts'

/** Where packaged charts come from: an index over http(s), or a registry (`oci://`). */
export interface PackageSource {
  readonly kind: 'repository' | 'oci'
  /** That of a repository may hold a user and password. */
  readonly url: string
}

export interface PackageRequest {
  readonly source: PackageSource
  readonly name: string
  /** A version or a constraint as Helm reads it; the latest release when left out. */
  readonly version?: string
}

/** Fetches packaged charts. All rejects with `KK_CHART`, whose message holds the URL without credentials. */
export interface Packages {
  /** Puts the package into an empty directory and returns its path; undefined when the source does not have it. */
  pull(request: PackageRequest, directory: string): Promise<string | undefined>
  /** The charts that a source offers; empty for a registry, which does not say. */
  names(source: PackageSource): Promise<readonly string[]>
}

interface PackagesOptions {
  /** The helm binary. */
  readonly path: string
  readonly env: ProcessEnvironment
  /** Private to this run and removed by the caller: holds indexes, and the logins to them. */
  readonly directory: string
  readonly signal?: AbortSignal
  /** How long helm may fetch one thing. */
  readonly timeoutMilliseconds?: number
}

/** A chart has a few MB, the index of a large repository some tens. */
const FETCH_MILLISECONDS = 300_000

/** Either major's words for a chart or version that a source does not have. */
const NOT_THERE =
  /no chart (?:name|version) found|could not locate a version matching|: not found$|name unknown|manifest unknown|status code 404/im

const NO_TLS = /server gave HTTP response to HTTPS client|"http:\/\/.*status code 401/

/**
 * Packages fetched by `helm pull`, with the proxies, certificates and logins (`helm registry login`, `helm repo add`)
 * of the user. The index of a repository is fetched once. Throws `KK_HELM_DRIVER`.
 */
export function helmPackages({
  path,
  env,
  directory,
  signal,
  timeoutMilliseconds = FETCH_MILLISECONDS,
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
      stderr: `Error: it was not there after ${timeoutMilliseconds / 1000} s, when helm was ended`,
    }
  }
  const opened = new Map<string, Promise<Repository>>()
  const repository = (url: string) => {
    const known = opened.get(url) ?? openRepository(url, {env, directory, helm})
    opened.set(url, known)
    return known
  }

  return {
    async pull(request, destination) {
      const {kind, url} = request.source
      const words =
        kind === 'oci' ? registryArguments(request, env) : repositoryArguments(request, await repository(url))
      const outcome = await pull(helm, ['--destination', destination, ...words])
      if (outcome.exitCode === 0) return packageIn(destination)
      if (NOT_THERE.test(outcome.stderr)) return undefined
      throw pullFailure(`the chart ${request.name}`, url, outcome)
    },
    async names({kind, url}) {
      return kind === 'oci' ? [] : (await repository(url)).names()
    },
  }
}

type RunHelm = (words: readonly string[]) => Promise<HelmOutcome>

/**
 * A registry on this machine seldom has a certificate. Helm 4 must be told; helm 3 finds out by itself, but then
 * keeps the login to itself.
 */
async function pull(helm: RunHelm, words: readonly string[]): Promise<HelmOutcome> {
  const outcome = await helm(['pull', ...words])
  const isLocal = /^oci:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\])[:/]/.test(words.at(-1)!)
  if (outcome.exitCode === 0 || !isLocal || !NO_TLS.test(outcome.stderr)) return outcome
  return helm(['pull', '--plain-http', ...words])
}

function repositoryArguments({name, version}: PackageRequest, {flags, reference}: Repository): string[] {
  return [...flags, ...versionFlag(version), '--', reference(name)]
}

/** `oci://host/charts` is a folder of charts, `oci://host/charts/keystone` is keystone itself. */
function registryArguments({source, name, version}: PackageRequest, env: ProcessEnvironment): string[] {
  const {address, username} = splitCredentials(source.url)
  if (username !== undefined)
    throw new KkError('KK_CHART', `expected ${address} without user and password`, {hint: loginHint(address)})
  const url = trimSlash(address)
  const config = env.HELM_REGISTRY_CONFIG || join(userConfiguration(env), 'registry', 'config.json')
  return [
    '--registry-config',
    config,
    ...versionFlag(version),
    '--',
    url.endsWith(`/${name}`) ? url : `${url}/${name}`,
  ]
}

function versionFlag(version: string | undefined): string[] {
  return version === undefined ? [] : ['--version', version]
}

async function packageIn(directory: string): Promise<string> {
  const file = (await readdir(directory)).find((name) => name.endsWith('.tgz'))
  if (file !== undefined) return join(directory, file)
  throw new KkError('KK_CHART', 'helm pull ended well, but left no package', {hint: 'run helm pull by hand'})
}

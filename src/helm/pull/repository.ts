import {mkdir, mkdtemp, readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {ProcessEnvironment} from '../child-environment.ts'
import type {HelmOutcome} from '../run.ts'
import {readYaml} from '../yaml.ts'
import {splitCredentials, trimSlash} from './package-url.ts'
import {pullFailure} from './pull-failure.ts'
import {userConfiguration} from './user-configuration.ts'

/** A helm configuration of our own with one repository, and its index. */
export interface Repository {
  /** What every helm command on it gets. */
  readonly flags: readonly string[]
  /** What helm calls a chart of it. */
  reference(chart: string): string
  /** The charts that it offers. */
  names(): Promise<readonly string[]>
}

interface RepositoryOptions {
  readonly env: ProcessEnvironment
  /** Private: the configuration holds the login. */
  readonly directory: string
  helm(words: readonly string[]): Promise<HelmOutcome>
}

const NAME = 'kk'

/**
 * Fetches the index of a repository, with the login in its URL or the one that the user saved by `helm repo add`.
 * This way round, for `helm pull --repo` takes a password from argv only. Rejects with `KK_CHART`.
 */
export async function openRepository(url: string, options: RepositoryOptions): Promise<Repository> {
  await makeDirectory(options.directory, {mode: 0o700})
  const home = await mkdtemp(join(options.directory, 'repository-'))
  const config = join(home, 'repositories.yaml')
  const cache = join(home, 'cache')
  await mkdir(cache, {mode: 0o700})
  const file = {apiVersion: 'v1', repositories: [{...(await login(url, options.env)), name: NAME}]}
  await writeFile(config, JSON.stringify(file), {mode: 0o600})

  const flags = ['--repository-config', config, '--repository-cache', cache]
  const outcome = await options.helm(['repo', 'update', ...flags])
  // Helm 3 ends well when the index could not be fetched.
  const fetched = (await readdir(cache)).includes(`${NAME}-index.yaml`)
  if (outcome.exitCode !== 0 || !fetched) throw pullFailure('the index of charts', url, outcome)
  return {
    flags,
    reference: (chart) => `${NAME}/${chart}`,
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

/** An entry of `repositories.yaml`: what the URL says, else what the user wrote down for it, certificates included. */
async function login(url: string, env: ProcessEnvironment): Promise<RepositoryEntry> {
  const {address, username, password} = splitCredentials(url)
  if (username !== undefined) return {url: address, username, password}
  const file = env.HELM_REPOSITORY_CONFIG || join(userConfiguration(env), 'repositories.yaml')
  const text = await readFile(file, 'utf8').catch(() => '')
  const {repositories} = (readYaml(text, {file}) ?? {}) as {repositories?: readonly RepositoryEntry[] | null}
  const saved = repositories?.find((entry) => trimSlash(entry.url ?? '') === trimSlash(address))
  return {...saved, url: address}
}

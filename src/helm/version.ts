import {readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {cacheDirectory} from '../state/directories.ts'
import {makeDirectory} from '../state/files/make-directory.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'
import {childEnvironment, type ProcessEnvironment} from './child-environment.ts'
import type {HelmVersion} from './helm.ts'
import {runHelm} from './run.ts'

/** The oldest minor version of helm 3; the first with all the flags that kk passes. */
const OLDEST_MINOR = 17
const VERSION_TIMEOUT_MS = 20_000

interface CachedVersion {
  readonly size: number
  readonly mtimeMs: number
  readonly text: string
}

/**
 * Returns the version of a helm binary; queried once per binary (path, size, modification time) and cached.
 * Throws `KK_HELM_VERSION` for anything but helm 3.17 or newer and helm 4, `KK_HELM_MISSING` if it does not
 * start, and `KK_FILE` if helm's directories cannot be created.
 */
export async function helmVersion(path: string, env: ProcessEnvironment): Promise<HelmVersion> {
  const {size, mtimeMs} = await statBinary(path)
  const cache = join(cacheDirectory(env), 'helm', 'versions.json')
  const versions = await readCache(cache)
  const hit = versions[path]
  if (hit && hit.size === size && hit.mtimeMs === mtimeMs) return supportedVersion(hit.text, path)

  const text = await queryVersion(path, env)
  // Helm prints nothing if its own directories cannot be created.
  if (text === '') await makeDirectory(join(cacheDirectory(env), 'helm'))
  const version = supportedVersion(text, path)
  await writeCache(cache, {...versions, [path]: {size, mtimeMs, text}})
  return version
}

/**
 * Parses `v4.2.4`, `v3.21` (a plain `go install` has no patch version) or helm 2's `Client:
 * v2.17.0+ga690bad`. Throws `KK_HELM_VERSION`.
 */
export function supportedVersion(text: string, path: string): HelmVersion {
  const match = /v(\d+)\.(\d+)(?:\.\d+)?[^\s]*/.exec(text)
  const [major, minor] = [Number(match?.[1]), Number(match?.[2])]
  if (match && (major === 4 || (major === 3 && minor >= OLDEST_MINOR))) {
    return {major, minor, text: match[0]}
  }
  const actual = match ? `helm ${match[0].slice(1)}` : `a program that answers "${text.slice(0, 60)}"`
  const why = major === 2 ? ', which keeps its releases in Tiller' : ''
  throw new KkError(
    'KK_HELM_VERSION',
    `kk needs helm 3.${OLDEST_MINOR} or newer, or helm 4; ${path} is ${actual}${why}`,
    {
      hint: 'install helm 4 (https://helm.sh/docs/intro/install), or name another binary with --helm or KK_HELM',
    },
  )
}

/**
 * Queries the version. Helm 2 has no such template, and would contact Tiller: without `--client` it can hang.
 */
async function queryVersion(path: string, env: ProcessEnvironment): Promise<string> {
  const ask = async (...words: string[]) => {
    const outcome = await runHelm({
      path,
      arguments: ['version', ...words],
      env: childEnvironment(env),
      signal: AbortSignal.timeout(VERSION_TIMEOUT_MS),
      graceMilliseconds: 1000,
    })
    return outcome.exitCode === 0 ? outcome.stdout.trim() : ''
  }
  return (await ask('--template', '{{.Version}}')) || (await ask('--client', '--short'))
}

async function statBinary(path: string): Promise<{size: number; mtimeMs: number}> {
  try {
    return await stat(path)
  } catch (error) {
    throw new KkError('KK_HELM_MISSING', `${path} cannot be read`, {
      cause: error,
      hint: 'name a working helm with --helm or KK_HELM',
    })
  }
}

/** Reads the cache. A cache that cannot be read or written only costs time. */
async function readCache(path: string): Promise<Record<string, CachedVersion>> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return {}
  }
}

async function writeCache(path: string, versions: Record<string, CachedVersion>): Promise<void> {
  await writeAtomically(path, JSON.stringify(versions)).catch(() => undefined)
}

import {readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {cacheDirectory} from '../state/directories.ts'
import {makeDirectory} from '../state/files/make-directory.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'
import {childEnvironment, type ProcessEnvironment} from './child-environment.ts'
import type {HelmVersion} from './helm.ts'
import {runHelm} from './run.ts'

/** Of helm 3; the first with all the flags that kk passes. */
const OLDEST_MINOR = 17
const PATIENCE_MILLISECONDS = 20_000

interface CachedVersion {
  readonly size: number
  readonly mtimeMs: number
  readonly text: string
}

/**
 * The version of a helm binary; asked once per binary (path, size, time of change) and kept in kk's cache.
 * Throws `KK_HELM_VERSION` for anything but helm 3.17 or newer and helm 4, `KK_HELM_MISSING` if it does not start, and
 * `KK_FILE` where it cannot have the directories that it needs.
 */
export async function helmVersion(path: string, env: ProcessEnvironment): Promise<HelmVersion> {
  const {size, mtimeMs} = await fileOf(path)
  const cache = join(cacheDirectory(env), 'helm', 'versions.json')
  const known = await readCache(cache)
  const hit = known[path]
  if (hit && hit.size === size && hit.mtimeMs === mtimeMs) return supportedVersion(hit.text, path)

  const text = await askVersion(path, env)
  // Helm says nothing where its own directories cannot be.
  if (text === '') await makeDirectory(join(cacheDirectory(env), 'helm'))
  const version = supportedVersion(text, path)
  await writeCache(cache, {...known, [path]: {size, mtimeMs, text}})
  return version
}

/**
 * Reads `v4.2.4`, `v3.21` (a plain `go install` knows no patch) or helm 2's `Client: v2.17.0+ga690bad`.
 * Throws `KK_HELM_VERSION`.
 */
export function supportedVersion(text: string, path: string): HelmVersion {
  const match = /v(\d+)\.(\d+)(?:\.\d+)?[^\s]*/.exec(text)
  const [major, minor] = [Number(match?.[1]), Number(match?.[2])]
  if (match && (major === 4 || (major === 3 && minor >= OLDEST_MINOR))) {
    return {major, minor, text: match[0]}
  }
  const came = match ? `helm ${match[0].slice(1)}` : `a program that answers "${text.slice(0, 60)}"`
  const why = major === 2 ? ', which keeps its releases in Tiller' : ''
  throw new KkError(
    'KK_HELM_VERSION',
    `kk needs helm 3.${OLDEST_MINOR} or newer, or helm 4; ${path} is ${came}${why}`,
    {
      hint: 'install helm 4 (https://helm.sh/docs/intro/install), or name another binary with --helm or KK_HELM',
    },
  )
}

/** Helm 2 knows no such template, and would look for Tiller: without `--client` it can hang. */
async function askVersion(path: string, env: ProcessEnvironment): Promise<string> {
  const ask = async (...words: string[]) => {
    const outcome = await runHelm({
      path,
      arguments: ['version', ...words],
      env: childEnvironment(env),
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      graceMilliseconds: 1000,
    })
    return outcome.exitCode === 0 ? outcome.stdout.trim() : ''
  }
  return (await ask('--template', '{{.Version}}')) || (await ask('--client', '--short'))
}

async function fileOf(path: string): Promise<{size: number; mtimeMs: number}> {
  try {
    return await stat(path)
  } catch (error) {
    throw new KkError('KK_HELM_MISSING', `${path} cannot be read`, {
      cause: error,
      hint: 'name a working helm with --helm or KK_HELM',
    })
  }
}

/** A cache that cannot be read or written only costs time. */
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

import {realpathSync} from 'node:fs'
import {rename, rm, symlink} from 'node:fs/promises'
import {delimiter, isAbsolute, join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {cacheDirectory} from './directories.ts'
import {isExecutable} from './files/is-executable.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The binaries of a sandbox. `kwok-kubelet` is a kwok that also keeps pods pending while a ConfigMap or
 * Secret is missing; the project's own `kwok`, which does not, serves without it.
 */
export const SANDBOX_TOOLS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok-kubelet',
  'kwokctl',
  'kubectl',
] as const

/** The binaries in the cluster's toolbox. */
export const TOOL_NAMES = [...SANDBOX_TOOLS, 'kubelet', 'kube-proxy', 'helm3', 'helm4'] as const

/** The binaries in the all-in-one node's toolbox. */
export const NODE_TOOLS = ['coredns', 'forwarder', 'provisioner', 'pause'] as const

export type ToolName = (typeof TOOL_NAMES)[number] | (typeof NODE_TOOLS)[number] | 'kwok'

export type Tools = Readonly<Record<(typeof SANDBOX_TOOLS)[number], string>>

/** The links to the newest toolbox of each kind. */
const LINKS = ['current', 'node'] as const

export type ToolboxLink = (typeof LINKS)[number]

/** The beginning of the name of a toolbox that is not complete yet. */
export const UNFINISHED = '.building-'

/**
 * Returns the directory of toolboxes: one directory per set of inputs, and a link to the newest of each kind.
 */
export function toolboxDirectory(env: Environment): string {
  return join(cacheDirectory(env), 'toolbox')
}

/** Returns the paths of a sandbox's binaries. Throws `KK_TOOLBOX` with the names of all missing ones. */
export function findTools(env: Environment): Tools {
  const names = SANDBOX_TOOLS.filter((name) => name !== 'kwok-kubelet')
  const plain = findTool('kwok-kubelet', env) === undefined ? findTool('kwok', env) : undefined
  if (plain === undefined) return requireTools(SANDBOX_TOOLS, env)
  return {...requireTools(names, env), 'kwok-kubelet': plain}
}

/** Returns the paths of these binaries. Throws `KK_TOOLBOX` with the names of all missing ones. */
export function requireTools<Name extends ToolName>(
  names: readonly Name[],
  env: Environment,
): Readonly<Record<Name, string>> {
  const paths = names.map((name) => [name, findTool(name, env)] as const)
  const missing = paths.filter(([, path]) => path === undefined).map(([name]) => name)
  if (missing.length > 0) throw missingTools(missing, env)
  return Object.fromEntries(paths) as Record<Name, string>
}

/** Returns the path of one binary. Throws `KK_TOOLBOX` if it is missing. */
export function toolPath(name: ToolName, env: Environment): string {
  return requireTools([name], env)[name]
}

/** Returns the binary from the first of KK_TOOLBOX, kk's cache and PATH that contains it. */
export function findTool(name: ToolName, env: Environment): string | undefined {
  return searchPath(env)
    .map((directory) => join(directory, name))
    .find(isExecutable)
}

/** Returns KK_TOOLBOX and kk's cache, as far as they exist. They come before PATH in a sandbox shell. */
export function toolDirectories(env: Environment): string[] {
  const built = LINKS.map((link) => builtTools(link, env)).filter((path) => path !== undefined)
  return [...(env.KK_TOOLBOX ? [env.KK_TOOLBOX] : []), ...built]
}

/** Makes a toolbox the newest of its kind, by a link that is replaced atomically. */
export async function pointTo(home: string, link: string, key: string): Promise<void> {
  const next = join(home, `${UNFINISHED}${link}`)
  await rm(next, {force: true})
  await symlink(key, next)
  await rename(next, join(home, link))
}

function searchPath(env: Environment): string[] {
  const path = (env.PATH ?? '').split(delimiter).filter((directory) => isAbsolute(directory))
  return [...toolDirectories(env), ...path]
}

/** Returns the directory that the link points to, so that running binaries stay when the link changes. */
function builtTools(link: ToolboxLink, env: Environment): string | undefined {
  try {
    return join(realpathSync(join(toolboxDirectory(env), link)), 'bin')
  } catch {
    return undefined
  }
}

function missingTools(missing: readonly string[], env: Environment): KkError {
  const ofNode = missing.some((name) => NODE_TOOLS.some((each) => each === name))
  const built = join(toolboxDirectory(env), ofNode ? 'node' : 'current', 'bin')
  const command = `npm run toolbox${ofNode ? ' -- aio' : ''}`
  const places = [env.KK_TOOLBOX && `KK_TOOLBOX (${env.KK_TOOLBOX})`, built, 'PATH'].filter(Boolean)
  return new KkError('KK_TOOLBOX', `${missing.join(', ')} not found in ${places.join(', ')}`, {
    hint: `run "${command}" in a clone of kk (it needs Go 1.26 or newer), or set KK_TOOLBOX to a directory that holds the binaries`,
  })
}

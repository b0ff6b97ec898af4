import {realpathSync} from 'node:fs'
import {delimiter, isAbsolute, join} from 'node:path'
import {KkError} from '../errors.ts'
import {cacheDirectory} from '../state/directories.ts'
import {isExecutable} from '../state/files/is-executable.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a sandbox is made of. */
export const SANDBOX_TOOLS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'kwokctl',
  'kubectl',
] as const

/** Everything that a complete toolbox holds. */
export const TOOL_NAMES = [...SANDBOX_TOOLS, 'kubelet', 'kube-proxy', 'helm3', 'helm4'] as const

export type ToolName = (typeof TOOL_NAMES)[number]

export type Tools = Readonly<Record<(typeof SANDBOX_TOOLS)[number], string>>

/** Where toolboxes are built; each in a directory named after its inputs, the newest one under `current`. */
export function toolboxDirectory(env: Environment): string {
  return join(cacheDirectory(env), 'toolbox')
}

/** The binaries of a sandbox, or `KK_TOOLBOX` that names all that are missing. */
export function findTools(env: Environment): Tools {
  const found = SANDBOX_TOOLS.map((name) => [name, findTool(name, env)] as const)
  const missing = found.filter(([, path]) => path === undefined).map(([name]) => name)
  if (missing.length > 0) throw missingTools(missing, env)
  return Object.fromEntries(found) as unknown as Tools
}

/** One binary, or `KK_TOOLBOX`. */
export function toolPath(name: ToolName, env: Environment): string {
  const path = findTool(name, env)
  if (path === undefined) throw missingTools([name], env)
  return path
}

/** The first of KK_TOOLBOX, kk's cache and PATH that has the binary. */
export function findTool(name: ToolName, env: Environment): string | undefined {
  return searchPath(env)
    .map((directory) => join(directory, name))
    .find(isExecutable)
}

/** KK_TOOLBOX and kk's cache, as far as they exist: what goes before PATH in a sandbox shell. */
export function toolDirectories(env: Environment): string[] {
  const built = builtTools(env)
  return [...(env.KK_TOOLBOX ? [env.KK_TOOLBOX] : []), ...(built ? [built] : [])]
}

function searchPath(env: Environment): string[] {
  const path = (env.PATH ?? '').split(delimiter).filter((directory) => isAbsolute(directory))
  return [...toolDirectories(env), ...path]
}

/** The toolbox itself, not the link to it, so that what runs is untouched when the link moves on. */
function builtTools(env: Environment): string | undefined {
  try {
    return join(realpathSync(join(toolboxDirectory(env), 'current')), 'bin')
  } catch {
    return undefined
  }
}

function missingTools(missing: readonly string[], env: Environment): KkError {
  const built = join(toolboxDirectory(env), 'current', 'bin')
  const places = [env.KK_TOOLBOX && `KK_TOOLBOX (${env.KK_TOOLBOX})`, built, 'PATH'].filter(Boolean)
  return new KkError('KK_TOOLBOX', `${missing.join(', ')} not found in ${places.join(', ')}`, {
    hint: 'run "npm run toolbox" in a clone of kk (it needs Go 1.26 or newer), or set KK_TOOLBOX to a directory that holds the binaries',
  })
}

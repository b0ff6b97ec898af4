import {homedir} from 'node:os'
import {isAbsolute, join} from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the directory for data that must survive a reboot: sandboxes, journals, overrides. Does not create
 * it.
 */
export function stateDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_STATE_HOME', '.local/state')
}

/** Returns the directory for data that can be re-created: binaries, unpacked files, fetched charts. */
export function cacheDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_CACHE_HOME', '.cache')
}

/** Returns the directory of user-written configuration. */
export function configDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_CONFIG_HOME', '.config')
}

/**
 * Returns kk's directory by the XDG base directory specification: a variable that is empty or holds a
 * relative path is ignored.
 */
function xdgDirectory(env: Environment, variable: string, fallback: string): string {
  const value = env[variable]
  const base = value && isAbsolute(value) ? value : join(env.HOME || homedir(), fallback)
  return join(base, 'kk')
}

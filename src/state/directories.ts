import {homedir} from 'node:os'
import {isAbsolute, join} from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the directory of what must survive a reboot: sandboxes, journals, overrides. It does not make the directory.
 */
export function stateDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_STATE_HOME', '.local/state')
}

/** Returns the directory of what can be made again: binaries, unpacked files, fetched charts. */
export function cacheDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_CACHE_HOME', '.cache')
}

/** Returns the directory where kk looks for what the user writes. */
export function configDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_CONFIG_HOME', '.config')
}

/**
 * Returns the directory of kk by the XDG base directory specification, which ignores a variable that is empty or holds
 * a relative path.
 */
function xdgDirectory(env: Environment, variable: string, fallback: string): string {
  const value = env[variable]
  const base = value && isAbsolute(value) ? value : join(env.HOME || homedir(), fallback)
  return join(base, 'kk')
}

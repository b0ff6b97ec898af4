import {homedir} from 'node:os'
import {isAbsolute, join} from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Where kk keeps what must survive a reboot: sandboxes, journals, overrides. Not made by asking for it. */
export function stateDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_STATE_HOME', '.local/state')
}

/** Where kk keeps what can be made again: binaries, unpacked files, fetched charts. */
export function cacheDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_CACHE_HOME', '.cache')
}

/** Where kk looks for what the user writes. */
export function configDirectory(env: Environment): string {
  return xdgDirectory(env, 'XDG_CONFIG_HOME', '.config')
}

/** The XDG base directory specification: a variable that is empty or holds a relative path is ignored. */
function xdgDirectory(env: Environment, variable: string, fallback: string): string {
  const value = env[variable]
  const base = value && isAbsolute(value) ? value : join(env.HOME || homedir(), fallback)
  return join(base, 'kk')
}

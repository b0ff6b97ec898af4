import {homedir} from 'node:os'
import {join} from 'node:path'
import type {ProcessEnvironment} from '../child-environment.ts'

/** Where the user's own helm keeps logins and repositories: `helmpath.ConfigPath`. */
export function userConfiguration(env: ProcessEnvironment): string {
  if (env.HELM_CONFIG_HOME) return env.HELM_CONFIG_HOME
  const folder = process.platform === 'darwin' ? 'Library/Preferences' : '.config'
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), folder), 'helm')
}

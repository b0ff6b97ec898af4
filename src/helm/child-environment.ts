import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {cacheDirectory} from '../state/directories.ts'
import {foreignEnvironment} from '../state/processes/foreign-environment.ts'

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment of helm: the caller's without kk's own variables, and without HELM_*, which can set
 * another namespace or cluster than planned, and plugins, repositories or a debug log that kk does not
 * expect. Throws `KK_HELM_DRIVER` for a driver that stores releases elsewhere than in Secrets.
 */
export function childEnvironment(env: ProcessEnvironment): Record<string, string> {
  checkDriver(env)
  const helmDirectory = join(cacheDirectory(env), 'helm')
  const inherited = Object.entries(foreignEnvironment(env)).filter(([name]) => !name.startsWith('HELM_'))
  return {
    ...Object.fromEntries(inherited),
    HELM_DRIVER: 'secret',
    HELM_NO_PLUGINS: '1',
    HELM_QPS: '50',
    HELM_BURST_LIMIT: '200',
    HELM_CACHE_HOME: join(helmDirectory, 'cache'),
    HELM_CONFIG_HOME: join(helmDirectory, 'config'),
    HELM_DATA_HOME: join(helmDirectory, 'data'),
    NO_COLOR: '1',
  }
}

function checkDriver(env: ProcessEnvironment): void {
  const driver = env.HELM_DRIVER
  if (!driver || driver === 'secret' || driver === 'secrets') return
  throw new KkError('KK_HELM_DRIVER', `HELM_DRIVER is "${driver}", but kk reads releases from Secrets only`, {
    hint: 'unset HELM_DRIVER',
  })
}

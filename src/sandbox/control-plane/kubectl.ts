import {execa} from 'execa'
import {KkError} from '../../base/errors.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {childEnvironment} from '../child-environment.ts'

export interface Target {
  readonly binary: string
  readonly kubeconfig: string
  readonly env: NodeJS.ProcessEnv
  /** The command that starts and stops the cluster. */
  readonly command?: 'kk sandbox' | 'kk aio'
}

interface KubectlOptions {
  readonly input?: string
  readonly signal?: AbortSignal
}

/** Runs kubectl on a sandbox and returns its output. Rejects with `KK_SANDBOX` and kubectl's last lines. */
export async function kubectl(
  {binary, kubeconfig, env, command = 'kk sandbox'}: Target,
  args: readonly string[],
  {input, signal}: KubectlOptions = {},
): Promise<string> {
  const result = await execa(binary, args, {
    env: foreignEnvironment(childEnvironment(kubeconfig, env)),
    extendEnv: false,
    input: input ?? '',
    cancelSignal: signal,
    reject: false,
  })
  if (result.isCanceled) throw signal?.reason
  if (!result.failed) return result.stdout
  throw new KkError('KK_SANDBOX', `kubectl ${args[0]} failed on the sandbox`, {
    log: result.stderr.split('\n').slice(-10),
    hint: `"${command} status" shows which components run; "${command} down" removes it with everything deployed in it`,
    cause: result,
  })
}

/** Returns the version of the API server, such as `v1.36.3`. */
export async function serverVersion(target: Target, signal?: AbortSignal): Promise<string> {
  const text = await kubectl(target, ['get', '--raw', '/version'], {signal})
  return (JSON.parse(text) as {readonly gitVersion: string}).gitVersion
}

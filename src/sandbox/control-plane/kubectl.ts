import {execa} from 'execa'
import {KkError} from '../../errors.ts'
import {childEnvironment} from '../child-environment.ts'

interface Target {
  readonly binary: string
  readonly kubeconfig: string
  readonly env: NodeJS.ProcessEnv
}

interface KubectlOptions {
  readonly input?: string
  readonly signal?: AbortSignal
}

/** Runs kubectl on a sandbox and resolves with its standard output; throws `KK_SANDBOX` with what it said. */
export async function kubectl(
  {binary, kubeconfig, env}: Target,
  args: readonly string[],
  {input, signal}: KubectlOptions = {},
): Promise<string> {
  const result = await execa(binary, args, {
    env: childEnvironment(kubeconfig, env),
    extendEnv: false,
    input: input ?? '',
    cancelSignal: signal,
    reject: false,
  })
  if (result.isCanceled) throw signal?.reason
  if (!result.failed) return result.stdout
  throw new KkError('KK_SANDBOX', `kubectl ${args[0]} failed on the sandbox`, {
    log: result.stderr.split('\n').slice(-10),
    hint: 'start it anew with "kk sandbox down" and "kk sandbox up"',
    cause: result,
  })
}

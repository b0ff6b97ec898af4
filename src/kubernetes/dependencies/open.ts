import {asKkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {clusterAccess} from '../api/access.ts'
import {openClient} from '../api/client.ts'
import {discoverKinds} from '../api/discovery.ts'
import {type Dependency, describeDependency} from './dependency.ts'
import {parseDependencies} from './parse.ts'
import {missing} from './resolve.ts'

const POLL_MILLISECONDS = 2_000

/** Waits for all dependencies in a pod's DEPENDENCY_* variables. Throws `KK_DEPENDENCY` and `KK_KUBECONFIG`. */
export async function awaitDependencies(
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<void> {
  const dependencies = parseDependencies(env)
  if (dependencies.length === 0) return
  const client = openClient(clusterAccess({env}))
  const asker = {
    client,
    discovery: discoverKinds(client),
    namespace: env.NAMESPACE || 'default',
    pod: env.POD_NAME,
  }
  try {
    await waitForDependencies(dependencies, {
      missing: (dependency) => missing(dependency, asker),
      milliseconds: POLL_MILLISECONDS,
      say,
    })
  } finally {
    client.close()
  }
}

export interface DependencyWait {
  /** Returns the reason why a dependency is not met; undefined if it is. */
  readonly missing: (dependency: Dependency) => Promise<string | undefined>
  readonly milliseconds: number
  /** Called with one line when a dependency is met, and when the reason changes why it is not. */
  readonly say: (line: string) => void
}

/** Waits until all dependencies are met, without a limit: the kubelet shows which pods wait, and for what. */
export async function waitForDependencies(
  dependencies: readonly Dependency[],
  wait: DependencyWait,
): Promise<void> {
  await Promise.all(dependencies.map((dependency) => waitForOne(dependency, wait)))
}

async function waitForOne(
  dependency: Dependency,
  {missing, milliseconds, say}: DependencyWait,
): Promise<void> {
  const what = describeDependency(dependency)
  let said: string | undefined
  const isMet = async () => {
    // A cluster that does not answer, or a Role that is bound a moment later, is also waited for.
    const reason = await missing(dependency).catch((error: unknown) => asKkError(error).message)
    if (reason !== undefined && reason !== said) say(`${what}: waiting: ${reason}`)
    said = reason
    return reason === undefined
  }
  await pollUntil(isMet, {interval: milliseconds})
  say(`${what}: there`)
}

import {asKkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {clusterAccess} from '../api/access.ts'
import {openClient} from '../api/client.ts'
import {discoverKinds} from '../api/discovery.ts'
import {type Dependency, describeDependency} from './dependency.ts'
import {parseDependencies} from './parse.ts'
import {unmetReason} from './resolve.ts'

const POLL_INTERVAL_MS = 2_000

/**
 * Waits for all dependencies in a pod's DEPENDENCY_* variables. Throws `KK_DEPENDENCY` and `KK_KUBECONFIG`.
 */
export async function awaitDependencies(
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
): Promise<void> {
  const dependencies = parseDependencies(env)
  if (dependencies.length === 0) return
  const client = openClient(clusterAccess({env}))
  const context = {
    client,
    discovery: discoverKinds(client),
    namespace: env.NAMESPACE || 'default',
    pod: env.POD_NAME,
  }
  try {
    await waitForDependencies(dependencies, {
      unmetReason: (dependency) => unmetReason(dependency, context),
      interval: POLL_INTERVAL_MS,
      log,
    })
  } finally {
    client.close()
  }
}

export interface DependencyWait {
  /** Returns the reason why a dependency is not met; undefined if it is met. */
  readonly unmetReason: (dependency: Dependency) => Promise<string | undefined>
  readonly interval: number
  /** Called with one line when a dependency is met, and when the reason why it is not changes. */
  readonly log: (line: string) => void
}

/**
 * Waits until all dependencies are met, without a timeout: the kubelet shows which pods wait, and for what.
 */
export async function waitForDependencies(
  dependencies: readonly Dependency[],
  wait: DependencyWait,
): Promise<void> {
  await Promise.all(dependencies.map((dependency) => waitForOne(dependency, wait)))
}

async function waitForOne(
  dependency: Dependency,
  {unmetReason, interval, log}: DependencyWait,
): Promise<void> {
  const what = describeDependency(dependency)
  let logged: string | undefined
  const isMet = async () => {
    // Errors are retried too: the cluster may be unreachable for a moment, or a RoleBinding may follow later.
    const reason = await unmetReason(dependency).catch((error: unknown) => asKkError(error).message)
    if (reason !== undefined && reason !== logged) log(`${what}: waiting: ${reason}`)
    logged = reason
    return reason === undefined
  }
  await pollUntil(isMet, {interval})
  log(`${what}: met`)
}

import {clusterAccess} from '../api/access.ts'
import {openClient} from '../api/client.ts'
import {discoverKinds} from '../api/discovery.ts'
import {parseDependencies} from './parse.ts'
import {missing} from './resolve.ts'
import {waitForDependencies} from './wait.ts'

const POLL_MILLISECONDS = 2_000

/** Waits for all that the DEPENDENCY_* variables of a pod name. Throws `KK_DEPENDENCY` and `KK_KUBECONFIG`. */
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

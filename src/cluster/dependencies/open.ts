import {setTimeout as delay} from 'node:timers/promises'
import {asKkError} from '../../errors.ts'
import {clusterAccess} from '../api/access.ts'
import {openClient} from '../api/client.ts'
import {discoverKinds} from '../api/discovery.ts'
import {type Dependency, describeDependency} from './dependency.ts'
import {parseDependencies} from './parse.ts'
import {missing} from './resolve.ts'

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

export interface DependencyWait {
  /** Why it is not there yet; undefined when it is. */
  readonly missing: (dependency: Dependency) => Promise<string | undefined>
  readonly milliseconds: number
  /** One line when something is there, and when the reason changes why it is not. */
  readonly say: (line: string) => void
}

/** Waits until all of them are there, for as long as it takes: the kubelet shows which pods wait, and for what. */
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
  for (;;) {
    // A cluster that does not answer, or a Role that is bound a moment later, is waited for, too.
    const reason = await missing(dependency).catch((error: unknown) => asKkError(error).message)
    if (reason === undefined) return say(`${what}: there`)
    if (reason !== said) say(`${what}: waiting: ${reason}`)
    said = reason
    await delay(milliseconds)
  }
}

import {setTimeout as delay} from 'node:timers/promises'
import {asKkError} from '../../errors.ts'
import {type Dependency, describeDependency} from './dependency.ts'

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

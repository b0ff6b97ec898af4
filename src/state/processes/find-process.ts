import {identifyProcess, type ProcessIdentity} from './process-identity.ts'
import {processesStartedWith} from './started-with.ts'

/** A running process that was started with this environment variable; undefined when there is none. */
export async function findProcess(variable: string, value: string): Promise<ProcessIdentity | undefined> {
  for (const pid of await processesStartedWith(variable, value)) {
    const identity = await identifyProcess(pid)
    if (identity) return identity
  }
  return undefined
}

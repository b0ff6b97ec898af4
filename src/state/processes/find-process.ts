import {readdir, readFile} from 'node:fs/promises'
import {identifyProcess, type ProcessIdentity} from './process-identity.ts'

/**
 * A running process of this user that was started with this environment variable; undefined when there is none. What it
 * starts inherits the variable, so that the child of a killed wrapper is found, too.
 */
export async function findProcess(variable: string, value: string): Promise<ProcessIdentity | undefined> {
  const assignment = `${variable}=${value}`
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number)
  const bearing = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      return environment.split('\0').includes(assignment) ? pid : undefined
    }),
  )
  for (const pid of bearing) {
    const identity = pid === undefined ? undefined : await identifyProcess(pid)
    if (identity) return identity
  }
  return undefined
}

import {readdir, readFile, readlink} from 'node:fs/promises'
import {setTimeout as delay} from 'node:timers/promises'

/** While a process takes on another program (execve), its environment reads as empty: so often it is read again. */
const READINGS = 20

const BETWEEN_READINGS_MILLISECONDS = 5

/**
 * The running processes of this user that were started with this environment variable. What they start inherits it, so
 * that the child of a killed process is found, too.
 */
export async function processesStartedWith(variable: string, value: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number)
  const bearing = await Promise.all(pids.map((pid) => isStartedWith(pid, variable, value)))
  return pids.filter((_, index) => bearing[index])
}

/** Whether this process was started with this environment variable, and has not ended. */
export async function isStartedWith(pid: number, variable: string, value: string): Promise<boolean> {
  for (let reading = 1; ; reading++) {
    // A process that has ended, a zombie, or another user's: its environment is empty or cannot be read.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (environment !== '') return environment.split('\0').includes(`${variable}=${value}`)
    if (reading === READINGS || !(await hasProgram(pid))) return false
    await delay(BETWEEN_READINGS_MILLISECONDS)
  }
}

/** Not so for a zombie, a thread of the kernel, or another user's process. */
async function hasProgram(pid: number): Promise<boolean> {
  return readlink(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  )
}

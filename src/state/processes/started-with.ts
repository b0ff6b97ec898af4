import {readdir, readFile, readlink} from 'node:fs/promises'
import {setTimeout as delay} from 'node:timers/promises'

/**
 * The number of times that an empty environment is read again: it reads as empty while a process takes on another
 * program (execve).
 */
const READINGS = 20

const BETWEEN_READINGS_MILLISECONDS = 5

/**
 * Returns the running processes of this user that were started with this environment variable. Child processes inherit
 * it, so that the child of a killed process is found, too.
 */
export async function processesStartedWith(variable: string, value: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number)
  const bearing = await Promise.all(pids.map((pid) => isStartedWith(pid, variable, value)))
  return pids.filter((_, index) => bearing[index])
}

/** Returns true for a process that was started with this environment variable and has not ended. */
export async function isStartedWith(pid: number, variable: string, value: string): Promise<boolean> {
  for (let reading = 1; ; reading++) {
    // It reads as empty, or cannot be read, if the process has ended, is a zombie, or is another user's.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (environment !== '') return environment.split('\0').includes(`${variable}=${value}`)
    if (reading === READINGS || !(await hasProgram(pid))) return false
    await delay(BETWEEN_READINGS_MILLISECONDS)
  }
}

/**
 * Returns true for a process with a program; false for a zombie, a thread of the kernel, and another user's process.
 */
async function hasProgram(pid: number): Promise<boolean> {
  return readlink(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  )
}

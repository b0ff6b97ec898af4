import {readdir, readFile, readlink} from 'node:fs/promises'
import {setTimeout as delay} from 'node:timers/promises'

/**
 * How often an empty environment is re-read: it reads as empty while a process changes its program (execve).
 */
const MAX_READS = 20

const READ_INTERVAL_MS = 5

/**
 * Returns the running processes of this user that were started with this environment variable. Child
 * processes inherit it, so the children of a killed process are included.
 */
export async function processesStartedWith(variable: string, value: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number)
  const matches = await Promise.all(pids.map((pid) => isStartedWith(pid, variable, value)))
  return pids.filter((_, index) => matches[index])
}

/** Returns true for a process that was started with this environment variable and has not ended. */
export async function isStartedWith(pid: number, variable: string, value: string): Promise<boolean> {
  for (let reading = 1; ; reading++) {
    // The environment reads as empty, or fails to read, if the process has ended, is a zombie, or is another
    // user's.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (environment !== '') return environment.split('\0').includes(`${variable}=${value}`)
    if (reading === MAX_READS || !(await hasProgram(pid))) return false
    await delay(READ_INTERVAL_MS)
  }
}

/**
 * Returns true for a process with a program; false for a zombie, a kernel thread or another user's process.
 */
async function hasProgram(pid: number): Promise<boolean> {
  return readlink(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  )
}

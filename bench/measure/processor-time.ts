import {readFileSync} from 'node:fs'

/** `utime` and `stime` of /proc/PID/stat are in hundredths of a second (USER_HZ). */
const TICK_MILLISECONDS = 10

/** The processor time of a process so far, in milliseconds, without its children. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS
}

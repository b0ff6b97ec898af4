import {hostname} from 'node:os'
import {identifyProcess} from '../../../../state/processes/process-identity.ts'

/** `user@host (process 42, run …)`, as runs call themselves. */
const HOLDER = /@(?<host>\S+) \(process (?<pid>\d+),/

/** Whether who calls itself so was a process of this machine and is gone; false for what cannot be told from here. */
export async function isGone(holder: string): Promise<boolean> {
  const {host, pid} = HOLDER.exec(holder)?.groups ?? {}
  if (host !== hostname() || pid === undefined) return false
  return !(await runs(Number(pid)))
}

/** Another process may have got the id since: it then counts as living, which errs towards leaving things alone. */
async function runs(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) !== undefined
}

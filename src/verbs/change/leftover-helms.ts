import {asKkError, KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import {overdueFrom} from '../../plan/pending/evidence.ts'
import type {ReleaseId} from '../../release.ts'

const POLL_INTERVAL_MS = 500

interface AwaitOptions {
  readonly isConcerned: (lease: LeaseView) => boolean
  /** Called once for each helm process that kk waits for. */
  readonly say: (line: string) => void
}

/**
 * Waits for the helm processes of this machine whose kk was killed: their result is known only after they
 * have ended. Resolves with the operations of killed runs, including those whose helm had ended before.
 * Throws `KK_PENDING` for a helm that has exceeded its deadline.
 */
export async function awaitLeftoverHelms(
  leases: Leases,
  {isConcerned, say}: AwaitOptions,
): Promise<readonly string[]> {
  const reported = new Set<ReleaseId>()
  const operations = new Set<string>()
  const areGone = async () => {
    const abandoned = (await readLeases(leases)).filter(isConcerned).filter(isAbandoned)
    for (const {release, operation} of abandoned)
      operations.add(`${release} ${operation!.run} ${operation!.deadline}`)
    const leftovers = abandoned.filter(isHelmRunning)
    for (const leftover of leftovers) {
      if (leases.now() > overdueFrom(leftover.operation!)) throw overdueError(leftover)
      if (!reported.has(leftover.release)) say(waitingMessage(leftover))
      reported.add(leftover.release)
    }
    return leftovers.length === 0
  }
  await pollUntil(areGone, {interval: POLL_INTERVAL_MS})
  return [...operations]
}

/** Returns no Leases if the user may not list them; kk then waits at the Lease of each release. */
async function readLeases(leases: Leases): Promise<readonly LeaseView[]> {
  return leases.list().catch((error: unknown) => {
    if (asKkError(error).code === 'KK_FORBIDDEN') return []
    throw error
  })
}

/** Whether the run of an operation is gone without a record of its end. */
function isAbandoned({operation, processes}: LeaseView): boolean {
  return operation !== undefined && !operation.ended && processes.operation?.kk === 'gone'
}

function isHelmRunning({processes}: LeaseView): boolean {
  return processes.operation?.helm.state === 'running'
}

function helmPid({processes: {operation}}: LeaseView): number {
  return operation?.helm.state === 'running' ? operation.helm.process.pid : 0
}

function waitingMessage(lease: LeaseView): string {
  const {verb, run} = lease.operation!
  return `${lease.release}: run ${run} is gone, but its helm ${verb} (process ${helmPid(lease)}) is still running: waiting for it`
}

function overdueError(lease: LeaseView): KkError {
  const {verb, run} = lease.operation!
  return new KkError(
    'KK_PENDING',
    `${lease.release}: helm ${verb} (process ${helmPid(lease)}) of run ${run}, which is gone, is still running past its deadline`,
    {hint: `find out what it does; to end it: kill ${helmPid(lease)}; then run the same command again`},
  )
}

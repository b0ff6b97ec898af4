import {asKkError, KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import {overdueFrom} from '../../plan/pending/evidence.ts'
import type {ReleaseId} from '../../release.ts'

const LOOK_AGAIN = 500

interface Awaited {
  readonly isConcerned: (lease: LeaseView) => boolean
  /** Told once of each that is waited for. */
  readonly say: (line: string) => void
}

/**
 * Waits for the helms of this machine whose kk was killed: what they make is known only when they have ended. Resolves with the
 * operations that dead runs have left, those included whose helm had ended before. Throws `KK_PENDING` for a helm that has outlived
 * its time.
 */
export async function awaitLeftoverHelms(
  leases: Leases,
  {isConcerned, say}: Awaited,
): Promise<readonly string[]> {
  const told = new Set<ReleaseId>()
  const found = new Set<string>()
  const areGone = async () => {
    const abandoned = (await readLeases(leases)).filter(isConcerned).filter(isAbandoned)
    for (const {release, operation} of abandoned)
      found.add(`${release} ${operation!.run} ${operation!.deadline}`)
    const leftovers = abandoned.filter(isAtWork)
    for (const leftover of leftovers) {
      if (leases.now() > overdueFrom(leftover.operation!)) throw overdue(leftover)
      if (!told.has(leftover.release)) say(waitingText(leftover))
      told.add(leftover.release)
    }
    return leftovers.length === 0
  }
  await pollUntil(areGone, {interval: LOOK_AGAIN})
  return [...found]
}

/** Who may not list Leases waits at the Lease of each release. */
async function readLeases(leases: Leases): Promise<readonly LeaseView[]> {
  return leases.list().catch((error: unknown) => {
    if (asKkError(error).code === 'KK_FORBIDDEN') return []
    throw error
  })
}

/** Whether the run of an operation is gone without having noted its end. */
function isAbandoned({operation, processes}: LeaseView): boolean {
  return operation !== undefined && !operation.ended && processes.operation?.kk === 'gone'
}

function isAtWork({processes}: LeaseView): boolean {
  return processes.operation?.helm.state === 'running'
}

function pidOf({processes: {operation}}: LeaseView): number {
  return operation?.helm.state === 'running' ? operation.helm.process.pid : 0
}

function waitingText(lease: LeaseView): string {
  const {verb, run} = lease.operation!
  return `${lease.release}: run ${run} is gone, but its helm ${verb} (process ${pidOf(lease)}) still works: waiting for it`
}

function overdue(lease: LeaseView): KkError {
  const {verb, run} = lease.operation!
  return new KkError(
    'KK_PENDING',
    `${lease.release}: helm ${verb} (process ${pidOf(lease)}) of run ${run}, which is gone, works on though its time is over`,
    {hint: `find out what it does; to end it: kill ${pidOf(lease)}; then run the same command again`},
  )
}

import {asKkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {overdueFrom} from '../../plan/pending/evidence.ts'
import {hasChanges, type Plan} from '../../plan/plan.ts'
import {unfinished} from '../../plan/refusals.ts'
import type {ReleaseId} from '../../release.ts'
import {awaitLeftoverHelms} from './leftover-helms.ts'

export interface Turn {
  /** Whether who is at work is waited for. */
  readonly waits: boolean
  /** Called once for each who is waited for. */
  readonly say: (line: string) => void
}

/**
 * What is planned when it is this run's turn: while planning is refused with `KK_PENDING` because another run is at work
 * on a release, its end is awaited, and what is then there is planned anew. Throws what planning throws; `KK_PENDING`
 * at once for what no run of kk is seen to work on.
 */
export async function inTurn<T>(
  cluster: {readonly leases: Leases; readonly records: Records},
  plan: () => Promise<T>,
  {waits, say}: Turn,
): Promise<T> {
  const told = new Set<string>()
  const sayOnce = (line: string) => {
    if (!told.has(line)) say(line)
    told.add(line)
  }
  for (;;) {
    try {
      return await plan()
    } catch (error) {
      const {code, release} = asKkError(error)
      if (!waits || code !== 'KK_PENDING' || release === undefined) throw error
      if (await awaitOperation(cluster.leases, release, sayOnce)) continue
      // It may have ended between the plan and the look at its Lease.
      const record = await cluster.records.last(release)
      if (record && unfinished(record)) throw error
    }
  }
}

const LOOK_AGAIN = 500

/**
 * Waits until nobody who holds a release's Lease is at work on it, and says for whom, and for which operation. Resolves
 * with whether anybody was.
 */
async function awaitOperation(
  leases: Leases,
  release: ReleaseId,
  say: (line: string) => void,
): Promise<boolean> {
  let waited = false
  const isFree = async () => {
    const lease = await leases.read(release)
    if (!lease || !isAtWork(lease, leases.now())) return true
    say(waitingText(lease))
    waited = true
    return false
  }
  await pollUntil(isFree, {interval: LOOK_AGAIN})
  return waited
}

/** Whose process cannot be seen from here is taken to be at work until its time is over. `now` is by the clock of the API server. */
function isAtWork({holder, operation, processes}: LeaseView, now: number): boolean {
  if (holder === undefined || !operation || operation.ended || now > overdueFrom(operation)) return false
  return processes.operation?.kk !== 'gone' || processes.operation.helm.state === 'running'
}

function waitingText({release, holder, operation, processes}: LeaseView): string {
  const {verb} = operation!
  const isSeen = processes.operation?.kk === 'running'
  const until = isSeen
    ? ''
    : `, until ${new Date(overdueFrom(operation!)).toISOString().slice(0, 19)}Z at the longest`
  return `${release}: ${holder} is at work on it (helm ${verb}): waiting for it${until}`
}

/**
 * Returns a plan that no other run at work undermines; see `inTurn`. Nor does a helm of a dead run, which may have written after
 * the plan was made: one that runs is awaited, and the plan is made again, once for each that was not known to have ended before.
 * Leases are read only when the plan has changes. Throws `KK_PENDING`.
 */
export async function settled<T extends {readonly plan: Plan}>(
  cluster: {readonly leases: Leases; readonly records: Records},
  observe: () => Promise<T>,
  {waits, say}: Turn,
): Promise<T> {
  const ended = new Set<string>()
  for (;;) {
    const observed = await inTurn(cluster, observe, {waits, say})
    if (!waits || !hasChanges(observed.plan)) return observed
    const releases = new Set(observed.plan.actions.map(({release}) => release))
    const found = await awaitLeftoverHelms(cluster.leases, {
      isConcerned: ({release}) => releases.has(release),
      say,
    })
    if (found.every((each) => ended.has(each))) return observed
    for (const each of found) ended.add(each)
  }
}

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

export interface TurnOptions {
  /** Whether to wait for other runs that are in progress. */
  readonly waits: boolean
  /** Called once for each run that kk waits for. */
  readonly say: (line: string) => void
}

/**
 * Plans when no other run works on the releases: while planning fails with `KK_PENDING` because another run
 * is in progress, waits until that ends, and plans again. Throws the errors of planning; `KK_PENDING` at once
 * if no run of kk is seen to work on the release.
 */
export async function waitForTurn<T>(
  cluster: {readonly leases: Leases; readonly records: Records},
  plan: () => Promise<T>,
  {waits, say}: TurnOptions,
): Promise<T> {
  const logged = new Set<string>()
  const logOnce = (line: string) => {
    if (!logged.has(line)) say(line)
    logged.add(line)
  }
  for (;;) {
    try {
      return await plan()
    } catch (error) {
      const {code, release} = asKkError(error)
      if (!waits || code !== 'KK_PENDING' || release === undefined) throw error
      if (await awaitOperation(cluster.leases, release, logOnce)) continue
      // The operation may have ended between the plan and the read of its Lease.
      const record = await cluster.records.last(release)
      if (record && unfinished(record)) throw error
    }
  }
}

const POLL_INTERVAL_MS = 500

/**
 * Waits until the holder of a release's Lease has ended its operation, and logs the holder and the operation.
 * Resolves with whether there was one.
 */
async function awaitOperation(
  leases: Leases,
  release: ReleaseId,
  say: (line: string) => void,
): Promise<boolean> {
  let waited = false
  const isFree = async () => {
    const lease = await leases.read(release)
    if (!lease || !isRunning(lease, leases.now())) return true
    say(waitingMessage(lease))
    waited = true
    return false
  }
  await pollUntil(isFree, {interval: POLL_INTERVAL_MS})
  return waited
}

/**
 * Returns true while an operation runs. A process that cannot be seen from here counts as running until its
 * deadline. `now` is API server time in milliseconds.
 */
function isRunning({holder, operation, processes}: LeaseView, now: number): boolean {
  if (holder === undefined || !operation || operation.ended || now > overdueFrom(operation)) return false
  return processes.operation?.kk !== 'gone' || processes.operation.helm.state === 'running'
}

function waitingMessage({release, holder, operation, processes}: LeaseView): string {
  const {verb} = operation!
  const isSeen = processes.operation?.kk === 'running'
  const until = isSeen
    ? ''
    : `, until ${new Date(overdueFrom(operation!)).toISOString().slice(0, 19)}Z at the latest`
  return `${release}: ${holder} is working on it (helm ${verb}): waiting for it${until}`
}

/**
 * Returns a plan that no concurrent run invalidates; see `waitForTurn`. A helm process that outlives its run
 * may also write after the plan was made: kk waits for it, and makes the plan again, once for each such
 * process that ended after the plan. Reads Leases only when the plan has changes. Throws `KK_PENDING`.
 */
export async function settledPlan<T extends {readonly plan: Plan}>(
  cluster: {readonly leases: Leases; readonly records: Records},
  observe: () => Promise<T>,
  {waits, say}: TurnOptions,
): Promise<T> {
  const ended = new Set<string>()
  for (;;) {
    const observed = await waitForTurn(cluster, observe, {waits, say})
    if (!waits || !hasChanges(observed.plan)) return observed
    const releases = new Set(observed.plan.actions.map(({release}) => release))
    const leftovers = await awaitLeftoverHelms(cluster.leases, {
      isConcerned: ({release}) => releases.has(release),
      say,
    })
    if (leftovers.every((each) => ended.has(each))) return observed
    for (const each of leftovers) ended.add(each)
  }
}

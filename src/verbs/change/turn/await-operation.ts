import {setTimeout as wait} from 'node:timers/promises'
import type {Cluster} from '../../../cluster/cluster.ts'
import type {LeaseView} from '../../../cluster/lease/view.ts'
import {overdueFrom} from '../../../plan/pending/evidence.ts'
import type {ReleaseId} from '../../../release.ts'

const LOOK_AGAIN = 500

/**
 * Waits until nobody who holds a release's Lease is at work on it, and says for whom, and for which operation. Resolves
 * with whether anybody was.
 */
export async function awaitOperation(
  cluster: Pick<Cluster, 'lease' | 'now'>,
  release: ReleaseId,
  say: (line: string) => void,
): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const lease = await cluster.lease(release)
    if (!lease || !isAtWork(lease, cluster.now())) return waited
    say(waitingText(lease))
    await wait(LOOK_AGAIN)
  }
}

/** Whose process cannot be seen from here is taken to be at work until its time is over. `now` is by the clock of the API server. */
function isAtWork({holder, operation, sighting}: LeaseView, now: number): boolean {
  if (holder === undefined || !operation || operation.ended || now > overdueFrom(operation)) return false
  return sighting.operation?.kk !== 'gone' || sighting.operation.helm.state === 'running'
}

function waitingText({release, holder, operation, sighting}: LeaseView): string {
  const {verb} = operation!
  const isSeen = sighting.operation?.kk === 'running'
  const until = isSeen
    ? ''
    : `, until ${new Date(overdueFrom(operation!)).toISOString().slice(0, 19)}Z at the longest`
  return `${release}: ${holder} is at work on it (helm ${verb}): waiting for it${until}`
}

import {setTimeout as wait} from 'node:timers/promises'
import {KkError} from '../../errors.ts'
import type {ReleaseId} from '../../release.ts'
import {thisProcess} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import {annotated, heldLease, LEASE_SECONDS, type Lease, readLease, writeLease} from './lease.ts'
import {HOLDER} from './operation.ts'
import {type Standing, standingOf} from './standing.ts'
import {viewOf} from './view.ts'

export interface AcquireOptions {
  readonly release: ReleaseId
  readonly holder: string
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** Told once of each holder who has to be waited for. */
  readonly onHeld?: (by: string) => void
}

const LOOK_AGAIN = 1_000

export interface AcquiredLease {
  readonly lease: Lease
  /** From whom it was taken, and why it could be; undefined when nobody had it. */
  readonly takenFrom: string | undefined
}

/**
 * Takes a release's Lease, or waits until it can be taken. Whose clock is right is never asked: a lease has run out when it
 * was seen unchanged for as long as it lasts, or at once when its holder is gone from this machine. Whoever's helm is seen
 * at work here is waited for. Throws `KK_HELD` naming the holder at the deadline.
 */
export async function acquireLease(
  client: ApiClient,
  {release, holder, deadline, onHeld}: AcquireOptions,
): Promise<AcquiredLease> {
  let seen: {readonly version: string | undefined; readonly at: number} | undefined
  let told: string | undefined
  const identity = JSON.stringify({holder, ...(await thisProcess())})
  for (;;) {
    const found = await readLease(client, release)
    const current = found?.spec?.holderIdentity
    const version = found?.metadata.resourceVersion
    if (seen?.version !== version) seen = {version, at: performance.now()}
    const lasts = (found?.spec?.leaseDurationSeconds ?? LEASE_SECONDS) * 1_000
    const hasRunOut = performance.now() - (seen?.at ?? 0) >= lasts
    const isFree = !current || current === holder
    const standing = isFree ? undefined : standingOf(await viewOf(release, found!))
    if (!standing || standing.isGone || (hasRunOut && !standing.isAtWork)) {
      const lease = heldLease(release, holder, found, new Date())
      const written = await writeLease(client, annotated(lease, {[HOLDER]: identity}))
      if (written) return {lease: written, takenFrom: standing && whyFree(standing, lasts)}
      continue
    }
    const {by} = standing
    if (Date.now() >= deadline) throw held(release, by)
    if (by !== told) onHeld?.(by)
    told = by
    await wait(Math.max(0, Math.min(LOOK_AGAIN, deadline - Date.now())))
  }
}

function whyFree({by, isGone}: Standing, lasts: number): string {
  return `${by}, ${isGone ? 'whose process is gone' : `who has not renewed it for ${lasts / 1_000} s`}`
}

function held(release: ReleaseId, holder: string): KkError {
  return new KkError('KK_HELD', `${release} is held by ${holder}`, {
    hint: `wait until that run has ended; if it was killed, its hold runs out after ${LEASE_SECONDS} s`,
  })
}

import {LEASE_SECONDS} from './lease.ts'
import type {LeaseView} from './view.ts'

/** What speaks for and against taking a Lease from its holder, as far as this machine can see. */
export interface Standing {
  /** Neither the holder nor a helm of its runs any more. */
  readonly isGone: boolean
  /** Its helm runs, with its kk or without. */
  readonly isAtWork: boolean
  /** Who is waited for, for messages. */
  readonly by: string
}

type Sighted = Pick<LeaseView, 'holder' | 'sighting'>

export function standingOf({holder, sighting}: Sighted): Standing {
  const {operation} = sighting
  const by = holder ?? 'somebody'
  const helm = operation?.helm ?? {state: 'gone'}
  if (helm.state !== 'running')
    return {isGone: sighting.holder === 'gone' && helm.state === 'gone', isAtWork: false, by}
  const isAlone = operation?.kk === 'gone'
  return {
    isGone: false,
    isAtWork: true,
    by: isAlone ? `${by}, which is gone, but whose helm (process ${helm.process.pid}) still works` : by,
  }
}

/** Beyond its own end, for clocks that differ; in milliseconds. */
const GRACE = LEASE_SECONDS * 1000

/**
 * Why nobody works under a Lease any more, so that the next run takes it over; undefined while somebody may. `now` is in
 * milliseconds since the epoch.
 */
export function staleness(
  lease: Sighted & Pick<LeaseView, 'runsOut' | 'renewedAt'>,
  now: number,
): string | undefined {
  const {isGone, isAtWork} = standingOf(lease)
  if (isGone) return 'whose process is gone'
  if (isAtWork || lease.runsOut === undefined || lease.runsOut + GRACE > now) return undefined
  return `who has not renewed it since ${lease.renewedAt!.slice(0, 19)}Z`
}

import {asKkError, KkError} from '../../base/errors.ts'
import {LEASE_SECONDS} from '../../kubernetes/lease/lease.ts'
import {isInstalled} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {usesLabel} from '../../plan/labels.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {Execution} from './execution.ts'

interface Declared {
  /** What the release is going to require. */
  readonly requirements: DesiredRelease['requirements']
  /** The last record of the dependent; what it says to use cannot be removed anyway. */
  readonly before: ReleaseRecord | undefined
}

/** How long somebody who was killed while removing a requirement is waited for: until the Lease has run out. */
const LONGEST_REMOVAL_WAIT = (LEASE_SECONDS + 15) * 1000

/**
 * Puts a reservation in the cluster on each release that this one is going to require, until the block is left: whoever removes
 * one of them sees the reservation, or is seen here. To be called under the Lease of the dependent. Throws `KK_HELD` when a
 * requirement is being removed, `KK_NOT_INSTALLED` when it has been.
 */
export async function reserve(
  execution: Execution,
  {requirements, before}: Declared,
): Promise<AsyncDisposable> {
  const {action, cluster, holder, deadline} = execution
  const dependent = action.release
  const added = requirements.filter(({to}) => before?.labels[usesLabel(to)] === undefined)
  // One that is left behind forbids too much, never too little, and goes with the next run of the dependent.
  const withdraw = () => cluster.reservations.withdraw(dependent).catch(() => undefined)
  if (added.length === 0) {
    // What a killed run has left: its record says the same now.
    await withdraw()
    return {async [Symbol.asyncDispose]() {}}
  }
  try {
    for (const {to} of added)
      await cluster.reservations.declare({required: to, dependent, operator: holder, deadline})
    for (const {to} of added) await awaitRemoval(execution, to)
    // A member of the same group is installed at the same time.
    const there = added.filter(({to, kind}) => kind === 'ready' || !action.group.includes(to))
    // Each list waits until the API server's cache has what was written last, in another kind: up to a tenth of a second.
    await Promise.all(there.map(({to}) => expectThere(execution, to)))
  } catch (error) {
    await withdraw()
    throw error
  }
  return {[Symbol.asyncDispose]: withdraw}
}

/** Whoever removes the requirement holds its Lease: it is free again when they have ended, or are dead. */
async function awaitRemoval(execution: Execution, required: ReleaseId): Promise<void> {
  const {action, cluster, controls, clock, holder, deadline, waits} = execution
  for (;;) {
    const deletionMarker = await cluster.reservations.deletionMarker(required)
    if (!deletionMarker) return
    controls.onProgress(
      'lease',
      `${releaseName(required)} is being removed by ${deletionMarker.holder}: waiting`,
    )
    const until = waits ? Math.min(deadline, clock.now() + LONGEST_REMOVAL_WAIT) : 0
    const lease = await cluster.leases.hold(required, holder, until).catch((error: unknown) => {
      if (asKkError(error).code !== 'KK_HELD') throw error
      throw new KkError(
        'KK_HELD',
        `${required}, which ${releaseName(action.release)} requires, is being removed by ${deletionMarker.holder}`,
        {
          cause: error,
          hint: `wait until that has ended; ${releaseName(required)} must then be deployed again, or no longer required`,
        },
      )
    })
    await lease.release()
  }
}

async function expectThere({action, cluster}: Execution, required: ReleaseId): Promise<void> {
  const record = await cluster.records.last(required)
  if (record && isInstalled(record)) return
  throw new KkError(
    'KK_NOT_INSTALLED',
    `${required}, which ${releaseName(action.release)} requires, was removed meanwhile`,
    {hint: 'run the same command again: kk looks at the cluster first'},
  )
}

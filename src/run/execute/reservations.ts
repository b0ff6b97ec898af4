import {asKkError, KkError} from '../../base/errors.ts'
import {LEASE_SECONDS} from '../../kubernetes/lease/lease.ts'
import {isInstalled} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {usesLabel} from '../../plan/labels.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {Execution} from './execution.ts'

interface Declared {
  /** The requirements that the release will have. */
  readonly requirements: DesiredRelease['requirements']
  /** The last record of the dependent; the requirements in its labels are protected already. */
  readonly before: ReleaseRecord | undefined
}

/** The maximum wait for a killed process that was removing a requirement: until its Lease has expired. */
const MAX_REMOVAL_WAIT_MS = (LEASE_SECONDS + 15) * 1000

/**
 * Creates a reservation in the cluster on each release that this one will require, until it is disposed: a
 * process that removes one of them sees the reservation, or its deletion marker is seen here. Call it under
 * the Lease of the dependent. Throws `KK_HELD` if a requirement is being removed, `KK_NOT_INSTALLED` if it
 * has been.
 */
export async function reserve(
  execution: Execution,
  {requirements, before}: Declared,
): Promise<AsyncDisposable> {
  const {action, cluster, holder, deadline} = execution
  const dependent = action.release
  const added = requirements.filter(({to}) => before?.labels[usesLabel(to)] === undefined)
  // A leftover forbids too much, never too little, and is withdrawn by the next run of the dependent.
  const withdraw = () => cluster.reservations.withdraw(dependent).catch(() => undefined)
  if (added.length === 0) {
    // A killed run may have left some; its record has the same labels now.
    await withdraw()
    return {async [Symbol.asyncDispose]() {}}
  }
  try {
    for (const {to} of added)
      await cluster.reservations.declare({required: to, dependent, operator: holder, deadline})
    for (const {to} of added) await awaitRemoval(execution, to)
    // A member of the same group is installed concurrently.
    const awaited = added.filter(({to, kind}) => kind === 'ready' || !action.group.includes(to))
    // Each list waits until the API server's cache has the last write to another kind: up to 100 ms.
    await Promise.all(awaited.map(({to}) => expectInstalled(execution, to)))
  } catch (error) {
    await withdraw()
    throw error
  }
  return {[Symbol.asyncDispose]: withdraw}
}

/**
 * Waits for a removal to end. The process that removes the requirement holds its Lease until it has ended or
 * expired.
 */
async function awaitRemoval(execution: Execution, required: ReleaseId): Promise<void> {
  const {action, cluster, controls, clock, holder, deadline, waits} = execution
  for (;;) {
    const deletionMarker = await cluster.reservations.deletionMarker(required)
    if (!deletionMarker) return
    controls.onProgress(
      'lease',
      `${releaseName(required)} is being removed by ${deletionMarker.holder}: waiting`,
    )
    const until = waits ? Math.min(deadline, clock.now() + MAX_REMOVAL_WAIT_MS) : 0
    const lease = await cluster.leases.hold(required, holder, until).catch((error: unknown) => {
      if (asKkError(error).code !== 'KK_HELD') throw error
      throw new KkError(
        'KK_HELD',
        `${required}, which ${releaseName(action.release)} requires, is being removed by ${deletionMarker.holder}`,
        {
          cause: error,
          hint: `wait until the removal has ended; ${releaseName(required)} must then be deployed again, or no longer required`,
        },
      )
    })
    await lease.release()
  }
}

async function expectInstalled({action, cluster}: Execution, required: ReleaseId): Promise<void> {
  const record = await cluster.records.last(required)
  if (record && isInstalled(record)) return
  throw new KkError(
    'KK_NOT_INSTALLED',
    `${required}, which ${releaseName(action.release)} requires, was removed in the meantime`,
    {hint: 'run the same command again: kk checks the cluster first'},
  )
}

import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {ReleaseId} from '../../release.ts'
import {identifyProcess} from '../../state/processes/process-identity.ts'
import type {ApiClient} from '../api/client.ts'
import {
  annotated,
  deleteLease,
  heldLease,
  LEASE_SECONDS,
  type Lease,
  readLease,
  releasedLease,
  type Waiting,
  writeLease,
} from './lease.ts'
import type {HeldLease} from './leases.ts'
import {describeProcess, HOLDER, OPERATION, type Operation} from './operation.ts'
import {assessLease, buildLeaseView, type LeaseAssessment} from './view.ts'

export interface HoldOptions extends AcquireOptions {
  readonly pace?: RenewalIntervals
}

/** In milliseconds. */
interface RenewalIntervals {
  readonly renewPeriod: number
  readonly retryPeriod: number
  /** The deadline after the last renewal. */
  readonly renewDeadline: number
}

/**
 * The holder gives up before another process may take the Lease; that process counts from the time at which
 * it observed the last renewal.
 */
const RENEWAL_INTERVALS: RenewalIntervals = {
  renewPeriod: 15_000,
  retryPeriod: 3_000,
  renewDeadline: (LEASE_SECONDS - 10) * 1_000,
}

/** Holds a release's Lease and renews it; see `Leases.hold`. */
export async function holdLease(client: ApiClient, options: HoldOptions): Promise<HeldLease> {
  return new Hold(client, options, await acquireLease(client, options))
}

/** A Lease that is renewed until it is released, left or lost. Deadlines are by the API server's clock. */
class Hold implements HeldLease {
  takenFrom: string | undefined
  private readonly client: ApiClient
  private readonly options: HoldOptions
  private readonly pace: RenewalIntervals
  private readonly loss = new AbortController()
  /** The helm operation of an earlier holder. */
  private readonly inherited: string | undefined
  private lease: Lease
  /** The time at which the last renewal began, by `performance.now()`. */
  private since: number
  private notes: Notes = {}
  /** The last helm operation of this holder. */
  private operation: Operation | undefined
  private timer: NodeJS.Timeout | undefined
  private renewal: Promise<void> | undefined
  private isLeft = false

  constructor(client: ApiClient, options: HoldOptions, {lease, since, takenFrom}: AcquiredLease) {
    this.client = client
    this.options = options
    this.pace = options.pace ?? RENEWAL_INTERVALS
    this.lease = lease
    this.since = since
    this.takenFrom = takenFrom
    this.inherited = operationAnnotation(lease)
    this.schedule(this.pace.renewPeriod)
  }

  get lost(): AbortSignal {
    return this.loss.signal
  }

  expectHeld(): void {
    // Timers are late after the process was stopped.
    if (performance.now() - this.since > this.pace.renewDeadline) this.lose('unknown')
    this.lost.throwIfAborted()
  }

  async annotate(annotations: Notes): Promise<void> {
    clearTimeout(this.timer)
    await this.renewal
    clearTimeout(this.timer)
    this.lost.throwIfAborted()
    this.notes = {...this.notes, ...annotations}
    const began = performance.now()
    const renewed = await this.write().catch((error: unknown) => {
      this.schedule(this.pace.retryPeriod)
      throw error
    })
    if (isLost(renewed)) this.lose(renewed)
    else this.keep(renewed, began)
    this.lost.throwIfAborted()
  }

  async begin({milliseconds, ...operation}: Parameters<HeldLease['begin']>[0]): Promise<void> {
    const deadline = Math.round(this.client.now() + milliseconds)
    await this.note({...operation, deadline, kk: await describeProcess(this.client)})
  }

  async started(pid: number): Promise<void> {
    const helm = await identifyProcess(pid)
    if (this.operation && helm) await this.note({...this.operation, helm})
  }

  async ended(): Promise<void> {
    if (this.operation) await this.note({...this.operation, ended: true})
  }

  async leave(): Promise<void> {
    this.isLeft = true
    clearTimeout(this.timer)
    await this.renewal
  }

  async release(): Promise<void> {
    if (this.isLeft) return
    await this.leave()
    if (this.lost.aborted) return
    const isInherited = this.inherited !== undefined && operationAnnotation(this.lease) === this.inherited
    // If the deletion fails the Lease expires.
    await (isInherited
      ? writeLease(this.client, releasedLease(this.lease))
      : deleteLease(this.client, this.lease)
    ).catch(() => undefined)
  }

  private async note(operation: Operation): Promise<void> {
    this.operation = operation
    await this.annotate({[OPERATION]: JSON.stringify(operation)})
  }

  private schedule(milliseconds: number): void {
    if (this.isLeft) return
    this.timer = setTimeout(() => {
      this.renewal = this.renew()
    }, milliseconds)
    this.timer.unref()
  }

  private async renew(): Promise<void> {
    const began = performance.now()
    const renewed = await this.write().catch(() => 'unknown' as const)
    if (renewed !== 'unknown' && !isLost(renewed)) return this.keep(renewed, began)
    const {retryPeriod, renewDeadline} = this.pace
    const isExpired = renewed !== 'unknown' || performance.now() + retryPeriod - this.since > renewDeadline
    if (isExpired) this.lose(renewed)
    else this.schedule(retryPeriod)
  }

  private write(): Promise<Lease | Lost> {
    return renewOnce(this.client, this.options, {lease: this.lease, notes: this.notes})
  }

  private keep(lease: Lease, since: number): void {
    this.lease = lease
    this.since = since
    this.schedule(this.pace.renewPeriod)
  }

  private lose(how: Lost | 'unknown'): void {
    this.loss.abort(leaseLost(this.options.release, how))
  }
}

/** The operation of an earlier holder remains as evidence until helm is started again. */
function operationAnnotation({metadata}: Lease): string | undefined {
  return metadata.annotations?.[OPERATION]
}

/** Annotations that the holder writes to its Lease; `null` removes one. */
type Notes = Readonly<Record<string, string | null>>

/** Another process has the Lease, or it was deleted. */
interface Lost {
  readonly taker: string | undefined
}

function isLost(renewed: Lease | Lost): renewed is Lost {
  return 'taker' in renewed
}

/**
 * Renews once. An update whose response was lost may have succeeded: this process then still holds the Lease,
 * in a newer version.
 */
async function renewOnce(
  client: ApiClient,
  {release, holder}: HoldOptions,
  {lease, notes}: {readonly lease: Lease; readonly notes: Notes},
): Promise<Lease | Lost> {
  const write = (before: Lease) =>
    writeLease(client, annotated(heldLease(release, holder, before, new Date()), notes))
  const renewed = await write(lease)
  if (renewed) return renewed
  const live = await readLease(client, release)
  const current = live?.spec?.holderIdentity
  if (!live || current !== holder) return {taker: current || undefined}
  const retried = await write(live)
  if (retried) return retried
  throw new KkError('KK_RACED', `the Lease of ${release} is changed by another process`)
}

function leaseLost(release: ReleaseId, how: Lost | 'unknown'): KkError {
  const why =
    how === 'unknown'
      ? 'the cluster was unreachable for too long to renew it'
      : how.taker === undefined
        ? 'its Lease was deleted'
        : `${how.taker} has it now`
  return new KkError('KK_LEASE_LOST', `the hold on ${release} was lost: ${why}`, {
    hint: 'run kk again: it reads the state of the cluster first',
  })
}

interface AcquireOptions extends Waiting {
  readonly release: ReleaseId
  readonly holder: string
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

const POLL_INTERVAL_MS = 1_000

interface AcquiredLease {
  readonly lease: Lease
  /** The time right before it was written, by `performance.now()`. */
  readonly since: number
  /** The former holder, and why the Lease could be taken; undefined if there was none. */
  readonly takenFrom: string | undefined
}

/**
 * Takes a release's Lease, or waits until it can be taken. Clocks of machines are not compared: a Lease has
 * expired when it was unchanged for its duration, or immediately if the process of its holder on this machine
 * is gone. It waits for a holder whose helm process still runs on this machine. Throws `KK_HELD` with the
 * holder at the deadline.
 */
async function acquireLease(
  client: ApiClient,
  {release, holder, deadline, onHeld, stop}: AcquireOptions,
): Promise<AcquiredLease> {
  let seen: {readonly version: string | undefined; readonly at: number} | undefined
  let by = ''
  const identity = JSON.stringify({holder, ...(await describeProcess(client))})
  const take = async (): Promise<AcquiredLease | undefined> => {
    stop?.throwIfAborted()
    const live = await readLease(client, release)
    const current = live?.spec?.holderIdentity
    const version = live?.metadata.resourceVersion
    if (seen?.version !== version) seen = {version, at: performance.now()}
    const duration = (live?.spec?.leaseDurationSeconds ?? LEASE_SECONDS) * 1_000
    const hasExpired = performance.now() - (seen?.at ?? 0) >= duration
    const isFree = !current || current === holder
    const assessment = isFree ? undefined : assessLease(await buildLeaseView(client, release, live!))
    if (!assessment || assessment.isGone || (hasExpired && !assessment.isHelmRunning)) {
      const since = performance.now()
      const lease = heldLease(release, holder, live, new Date())
      const written = await writeLease(client, annotated(lease, {[HOLDER]: identity}))
      return written
        ? {lease: written, since, takenFrom: assessment && takeoverReason(assessment, duration)}
        : take()
    }
    if (by !== assessment.by && Date.now() < deadline) onHeld?.(assessment.by)
    by = assessment.by
    return undefined
  }
  const taken = await pollUntil(take, {interval: POLL_INTERVAL_MS, deadline, signal: stop})
  if (!taken) throw heldError(release, by)
  return taken
}

function takeoverReason({by, isGone}: LeaseAssessment, duration: number): string {
  return `${by}, ${isGone ? 'whose process is gone' : `who has not renewed it for ${duration / 1_000} s`}`
}

function heldError(release: ReleaseId, holder: string): KkError {
  return new KkError('KK_HELD', `${release} is held by ${holder}`, {
    hint: `wait until that run has ended; if it was killed, its hold runs out after ${LEASE_SECONDS} s`,
  })
}

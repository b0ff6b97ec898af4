import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {ReleaseId} from '../../release.ts'
import {identifyProcess} from '../../state/processes/process-identity.ts'
import type {ApiClient} from '../api/client.ts'
import {
  annotated,
  deleteLease,
  freeLease,
  heldLease,
  LEASE_SECONDS,
  type Lease,
  readLease,
  type Waiting,
  writeLease,
} from './lease.ts'
import type {HeldLease} from './leases.ts'
import {HOLDER, OPERATION, type Operation, processFor} from './operation.ts'
import {type Standing, standingOf, viewOf} from './view.ts'

export interface HoldOptions extends AcquireOptions {
  readonly pace?: Pace
}

/** In milliseconds. */
interface Pace {
  readonly renew: number
  readonly renewAgain: number
  /** Since the last renewal. */
  readonly giveUp: number
}

/** Gives up before anybody else may take the lease, who starts to count when they see the last renewal. */
const PACE: Pace = {renew: 15_000, renewAgain: 3_000, giveUp: (LEASE_SECONDS - 10) * 1_000}

/** Holds a release's Lease and renews it; see `Leases.hold`. */
export async function holdLease(client: ApiClient, options: HoldOptions): Promise<HeldLease> {
  return new Hold(client, options, await acquireLease(client, options))
}

/** A Lease that is renewed until it is released, left or lost. Deadlines are by the API server's clock. */
class Hold implements HeldLease {
  takenFrom: string | undefined
  private readonly client: ApiClient
  private readonly options: HoldOptions
  private readonly pace: Pace
  private readonly loss = new AbortController()
  /** What an earlier holder had started helm for. */
  private readonly inherited: string | undefined
  private lease: Lease
  /** The time at which the last renewal began, by `performance.now()`. */
  private since: number
  private notes: Notes = {}
  /** What helm was last started for. */
  private operation: Operation | undefined
  private timer: NodeJS.Timeout | undefined
  private renewal: Promise<void> | undefined
  private isLeft = false

  constructor(client: ApiClient, options: HoldOptions, {lease, since, takenFrom}: AcquiredLease) {
    this.client = client
    this.options = options
    this.pace = options.pace ?? PACE
    this.lease = lease
    this.since = since
    this.takenFrom = takenFrom
    this.inherited = operationNote(lease)
    this.schedule(this.pace.renew)
  }

  get lost(): AbortSignal {
    return this.loss.signal
  }

  expectHeld(): void {
    // A process that was stopped finds its timers late.
    if (performance.now() - this.since > this.pace.giveUp) this.lose('unknown')
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
      this.schedule(this.pace.renewAgain)
      throw error
    })
    if (isLost(renewed)) this.lose(renewed)
    else this.keep(renewed, began)
    this.lost.throwIfAborted()
  }

  async begin({milliseconds, ...begun}: Parameters<HeldLease['begin']>[0]): Promise<void> {
    const deadline = Math.round(this.client.now() + milliseconds)
    await this.note({...begun, deadline, kk: await processFor(this.client)})
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
    const isInherited = this.inherited !== undefined && operationNote(this.lease) === this.inherited
    // What is not taken away runs out by itself.
    await (isInherited
      ? writeLease(this.client, freeLease(this.lease))
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
    const {renewAgain, giveUp} = this.pace
    const isOver = renewed !== 'unknown' || performance.now() + renewAgain - this.since > giveUp
    if (isOver) this.lose(renewed)
    else this.schedule(renewAgain)
  }

  private write(): Promise<Lease | Lost> {
    return renewOnce(this.client, this.options, {lease: this.lease, notes: this.notes})
  }

  private keep(lease: Lease, since: number): void {
    this.lease = lease
    this.since = since
    this.schedule(this.pace.renew)
  }

  private lose(how: Lost | 'unknown'): void {
    this.loss.abort(leaseLost(this.options.release, how))
  }
}

/** What an earlier holder started helm for stands as evidence until helm is started again. */
function operationNote({metadata}: Lease): string | undefined {
  return metadata.annotations?.[OPERATION]
}

/** Annotations that the holder has put on its Lease; `null` takes one away. */
type Notes = Readonly<Record<string, string | null>>

/** Somebody else has the Lease; or nobody, and it is gone. */
interface Lost {
  readonly taker: string | undefined
}

function isLost(renewed: Lease | Lost): renewed is Lost {
  return 'taker' in renewed
}

/** An update that was cut may have been done all the same: the Lease is then still ours, in a newer version. */
async function renewOnce(
  client: ApiClient,
  {release, holder}: HoldOptions,
  {lease, notes}: {readonly lease: Lease; readonly notes: Notes},
): Promise<Lease | Lost> {
  const write = (before: Lease) =>
    writeLease(client, annotated(heldLease(release, holder, before, new Date()), notes))
  const renewed = await write(lease)
  if (renewed) return renewed
  const found = await readLease(client, release)
  const current = found?.spec?.holderIdentity
  if (!found || current !== holder) return {taker: current || undefined}
  const again = await write(found)
  if (again) return again
  throw new KkError('KK_RACED', `the Lease of ${release} changes under its holder`)
}

function leaseLost(release: ReleaseId, how: Lost | 'unknown'): KkError {
  const why =
    how === 'unknown'
      ? 'the cluster was out of sight for too long to renew it'
      : how.taker === undefined
        ? 'somebody has taken its Lease away'
        : `${how.taker} has it now`
  return new KkError('KK_LEASE_LOST', `the hold on ${release} was lost: ${why}`, {
    hint: 'run kk again: it looks at the cluster first',
  })
}

interface AcquireOptions extends Waiting {
  readonly release: ReleaseId
  readonly holder: string
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

const LOOK_AGAIN = 1_000

interface AcquiredLease {
  readonly lease: Lease
  /** When it was about to be written, by `performance.now()`. */
  readonly since: number
  /** From whom it was taken, and why it could be; undefined when nobody had it. */
  readonly takenFrom: string | undefined
}

/**
 * Takes a release's Lease, or waits until it can be taken. Whose clock is right is never asked: a lease has run out when it
 * was seen unchanged for as long as it lasts, or at once when its holder is gone from this machine. Whoever's helm is seen
 * at work here is waited for. Throws `KK_HELD` naming the holder at the deadline.
 */
async function acquireLease(
  client: ApiClient,
  {release, holder, deadline, onHeld, stop}: AcquireOptions,
): Promise<AcquiredLease> {
  let seen: {readonly version: string | undefined; readonly at: number} | undefined
  let by = ''
  const identity = JSON.stringify({holder, ...(await processFor(client))})
  const take = async (): Promise<AcquiredLease | undefined> => {
    stop?.throwIfAborted()
    const found = await readLease(client, release)
    const current = found?.spec?.holderIdentity
    const version = found?.metadata.resourceVersion
    if (seen?.version !== version) seen = {version, at: performance.now()}
    const lasts = (found?.spec?.leaseDurationSeconds ?? LEASE_SECONDS) * 1_000
    const hasRunOut = performance.now() - (seen?.at ?? 0) >= lasts
    const isFree = !current || current === holder
    const standing = isFree ? undefined : standingOf(await viewOf(client, release, found!))
    if (!standing || standing.isGone || (hasRunOut && !standing.isAtWork)) {
      const since = performance.now()
      const lease = heldLease(release, holder, found, new Date())
      const written = await writeLease(client, annotated(lease, {[HOLDER]: identity}))
      return written ? {lease: written, since, takenFrom: standing && whyFree(standing, lasts)} : take()
    }
    if (by !== standing.by && Date.now() < deadline) onHeld?.(standing.by)
    by = standing.by
    return undefined
  }
  const taken = await pollUntil(take, {interval: LOOK_AGAIN, deadline, signal: stop})
  if (!taken) throw held(release, by)
  return taken
}

function whyFree({by, isGone}: Standing, lasts: number): string {
  return `${by}, ${isGone ? 'whose process is gone' : `who has not renewed it for ${lasts / 1_000} s`}`
}

function held(release: ReleaseId, holder: string): KkError {
  return new KkError('KK_HELD', `${release} is held by ${holder}`, {
    hint: `wait until that run has ended; if it was killed, its hold runs out after ${LEASE_SECONDS} s`,
  })
}

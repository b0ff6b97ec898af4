import {asKkError, KkError} from '../../base/errors.ts'
import type {HeldLease, Leases} from '../../kubernetes/lease/leases.ts'
import type {Action} from '../../plan/plan.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {takesLease} from '../schedule/schedule.ts'
import type {Execution, Hold, HoldRequest} from './execution.ts'

/** A Lease that a run has taken. */
export interface TakenLease extends AsyncDisposable {
  readonly lease: HeldLease
  /**
   * The deadline of the action from now on, in milliseconds since the epoch: the wait for the Lease does not
   * count.
   */
  readonly deadline: number
}

/** Takes the release's Lease, which is released on disposal. Throws `KK_HELD`, `KK_INTERRUPTED`. */
export async function takeLease(execution: Execution): Promise<TakenLease> {
  const {clock, controls} = execution
  const began = clock.now()
  controls.onProgress('lease', 'taking its lease')
  const lease = await take(execution)
  if (lease.takenFrom !== undefined)
    controls.onProgress('helm', `its Lease was taken over from ${lease.takenFrom}`)
  const deadline = execution.deadline + (clock.now() - began)
  return {lease, deadline, [Symbol.asyncDispose]: () => releaseLease(lease)}
}

async function take({action, controls, hold, deadline}: Execution): Promise<HeldLease> {
  const {signal} = controls
  const onHeld = (release: ReleaseId, by: string) =>
    controls.onProgress('lease', `held by ${by}`, [{object: release, message: `it is held by ${by}`}])
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  const isAlone = action.kind === 'test' && action.userTestOf !== undefined
  const holding = hold({release: action.release, isAlone, deadline, onHeld})
  try {
    return await Promise.race([holding, aborted.promise])
  } catch (error) {
    // The Lease may be acquired after the abort.
    holding.then(releaseLease, () => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

interface HoldOptions {
  readonly cluster: {readonly leases: Leases}
  readonly holder: string
  /** The actions of the run. */
  readonly actions: readonly Pick<Action, 'release' | 'kind' | 'group'>[]
  /** Whether to wait while another run holds a release. */
  readonly waits: boolean
}

/** Returns the function that takes the Leases of a run. */
export function newHold({cluster, holder, actions, waits}: HoldOptions): Hold {
  const acting = new Set(actions.filter(({kind}) => takesLease(kind)).map(({release}) => release))
  const groupByRelease = new Map(
    actions.map(({release, group}) => [release, group.filter((member) => acting.has(member)).sort()]),
  )
  const groups = new Map<ReleaseId, SharedHold>()

  return async ({release, isAlone, deadline, onHeld}) => {
    const until = waits ? deadline : 0
    const members = isAlone ? [] : (groupByRelease.get(release) ?? [])
    const [first] = members
    if (first === undefined || members.length === 1)
      return cluster.leases.hold(release, holder, until, {onHeld: (by) => onHeld(release, by)})
    let shared = groups.get(first)
    if (!shared) {
      const listeners: HoldRequest['onHeld'][] = []
      const notify: HoldRequest['onHeld'] = (release, by) => {
        for (const listener of listeners) listener(release, by)
      }
      const take: Take = (member, deadline) =>
        cluster.leases.hold(member, holder, deadline, {onHeld: (by) => notify(member, by)})
      shared = {listeners, leases: holdAll(members, take, until)}
      groups.set(first, shared)
    }
    shared.listeners.push(onHeld)
    return (await shared.leases).get(release)!
  }
}

/** The common acquisition of the members of a group. */
interface SharedHold {
  readonly listeners: HoldRequest['onHeld'][]
  readonly leases: Promise<ReadonlyMap<ReleaseId, HeldLease>>
}

type Take = (member: ReleaseId, deadline: number) => Promise<HeldLease>

/**
 * Takes all Leases in a fixed order, or none: no Lease is held while waiting for another, so two runs cannot
 * deadlock, and no member of the group starts without the others.
 */
async function holdAll(
  members: readonly ReleaseId[],
  take: Take,
  until: number,
): Promise<ReadonlyMap<ReleaseId, HeldLease>> {
  const takenFrom = new Map<ReleaseId, string>()
  for (;;) {
    const {leases, missing} = await takeFree(members, take)
    if (missing === undefined) {
      for (const [member, lease] of leases) lease.takenFrom ??= takenFrom.get(member)
      return leases
    }
    const freed = await take(missing, until).catch((error: unknown) => {
      throw asKkError(error).code === 'KK_HELD' ? heldGroup(members, error) : error
    })
    if (freed.takenFrom !== undefined) takenFrom.set(missing, freed.takenFrom)
    await releaseLease(freed)
  }
}

interface Taken {
  readonly leases: ReadonlyMap<ReleaseId, HeldLease>
  /** The first Lease that another run holds; `leases` have been released then. */
  readonly missing?: ReleaseId
}

async function takeFree(members: readonly ReleaseId[], take: Take): Promise<Taken> {
  const leases = new Map<ReleaseId, HeldLease>()
  for (const member of members) {
    try {
      leases.set(member, await take(member, 0))
    } catch (error) {
      await Promise.all([...leases.values()].map(releaseLease))
      if (asKkError(error).code === 'KK_HELD') return {leases, missing: member}
      throw error
    }
  }
  return {leases}
}

function heldGroup(members: readonly ReleaseId[], error: unknown): KkError {
  const {message, hint} = asKkError(error)
  const names = members.map(releaseName).join(', ')
  return new KkError('KK_HELD', `${message}; ${names} need each other and start only together`, {
    cause: error,
    ...(hint === undefined ? {} : {hint}),
  })
}

/**
 * Releases a Lease. Errors are ignored: it expires on its own, and an error must not hide the result of the
 * work.
 */
export function releaseLease(lease: HeldLease): Promise<void> {
  return lease.release().catch(() => undefined)
}

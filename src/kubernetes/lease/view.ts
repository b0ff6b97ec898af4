import type {Pod} from 'kubernetes-types/core/v1.js'
import type {ReleaseId} from '../../release.ts'
import {findProcess, isRunning, type ProcessIdentity} from '../../state/processes/process-identity.ts'
import {
  type PlacedProcess,
  type PodIdentity,
  type ProcessState,
  relationOf,
  sightProcess,
  thisPlace,
} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import {PODS, readObject} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {DELETION_MARKER} from '../reservations/reservation.ts'
import {allLeases, LEASE_SECONDS, type Lease, leaseName, RELEASE, readLease} from './lease.ts'
import {holderOn, OPERATION_VARIABLE, type Operation, operationName, operationOn} from './operation.ts'

/** The Lease of a release, for others than its holder. */
export interface LeaseView {
  readonly release: ReleaseId
  /** As it is shown: user, host, process, run. Undefined when it was given back, and tells of what was done under it. */
  readonly holder: string | undefined
  readonly process: PlacedProcess | undefined
  /** ISO 8601, by the clock of the holder. */
  readonly acquiredAt: string | undefined
  readonly renewedAt: string | undefined
  /** When others may take it, if it is not renewed: milliseconds since the epoch, by the same clock. */
  readonly runsOut: number | undefined
  /** It says that the release is being removed: who would install what requires it waits. */
  readonly isRemoval: boolean
  /** What helm was last started for. It may be of an earlier holder. */
  readonly operation: Operation | undefined
  /** What this machine sees of their processes. */
  readonly processes: LeaseProcesses
}

/** The Lease of one release; undefined when there is none. */
export async function viewLease(client: ApiClient, release: ReleaseId): Promise<LeaseView | undefined> {
  const lease = await readLease(client, release)
  return lease && (await viewOf(client, release, lease))
}

/** All Leases of releases: one list. There are as many as runs work on, and what dead runs have left. */
export async function viewLeases(client: ApiClient): Promise<readonly LeaseView[]> {
  const all = await allLeases(client)
  const named = all.flatMap((lease) => {
    const release = lease.metadata.annotations?.[RELEASE] as ReleaseId | undefined
    return release !== undefined && lease.metadata.name === leaseName(release) ? [{release, lease}] : []
  })
  return Promise.all(named.map(({release, lease}) => viewOf(client, release, lease)))
}

/** A Lease with what is seen from here of who is behind it. */
export async function viewOf(client: ApiClient, release: ReleaseId, lease: Lease): Promise<LeaseView> {
  const {holderIdentity, acquireTime, renewTime} = lease.spec ?? {}
  const runsOut = runsOutAt(lease)
  return {
    release,
    holder: holderIdentity || undefined,
    process: holderOn(lease),
    acquiredAt: acquireTime,
    renewedAt: renewTime,
    runsOut: Number.isNaN(runsOut) ? undefined : runsOut,
    isRemoval: lease.metadata.annotations?.[DELETION_MARKER] !== undefined,
    operation: operationOn(lease),
    processes: await readProcesses(client, release, lease),
  }
}

/** When a Lease can be taken unless it is renewed, in milliseconds since the epoch; NaN where it does not tell. */
function runsOutAt({spec}: Lease): number {
  return Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? LEASE_SECONDS) * 1000
}

/** What this machine sees of a helm that kk has started. */
export type HelmProcess =
  | {readonly state: 'running'; readonly process: ProcessIdentity}
  | {readonly state: 'gone' | 'unseen'}

/** What this machine sees of the processes behind a Lease. */
interface LeaseProcesses {
  /** The holder; `unseen` also when the Lease does not tell its process. */
  readonly holder: ProcessState
  readonly operation?: {readonly kk: ProcessState; readonly helm: HelmProcess}
}

async function readProcesses(client: ApiClient, release: ReleaseId, lease: Lease): Promise<LeaseProcesses> {
  const [holder, operation] = [holderOn(lease), operationOn(lease)]
  const isOver = Date.now() > runsOutAt(lease) + GRACE
  const sight = async (process: PlacedProcess): Promise<ProcessState> => {
    const state = await sightProcess(process)
    const {pod} = process
    const hasRunOut = isOver || process.pod?.uid !== holder?.pod?.uid
    return state === 'unseen' && pod && hasRunOut && (await hasEnded(client, pod)) ? 'gone' : state
  }
  const kk = operation && (await sight(operation.kk))
  return {
    holder: holder ? await sight(holder) : 'unseen',
    ...(operation && kk && {operation: {kk, helm: await readHelmProcess(release, operation, kk)}}),
  }
}

/** Whether a helm that was started for the operation still runs, whoever its parent is now. */
async function readHelmProcess(
  release: ReleaseId,
  {kk, helm, run}: Operation,
  ofKk: ProcessState,
): Promise<HelmProcess> {
  const relation = relationOf(kk, await thisPlace())
  if (relation === 'before') return {state: 'gone'}
  if (relation === 'elsewhere') return {state: ofKk === 'gone' ? 'gone' : 'unseen'}
  if (helm && (await isRunning(helm))) return {state: 'running', process: helm}
  const found = await findProcess(OPERATION_VARIABLE, operationName(run, release))
  return found ? {state: 'running', process: found} : {state: 'gone'}
}

/**
 * Returns true where a pod is gone, or has ended for good, and all of its processes with it. A node that nobody hears of may
 * still run what was deleted by force: so this is asked only when the Lease has run out. Who may not read pods learns nothing.
 */
async function hasEnded(client: ApiClient, {namespace, name, uid}: PodIdentity): Promise<boolean> {
  try {
    const pod = await readObject<Served<Pod>>(client, PODS, {namespace, name})
    return pod?.metadata.uid !== uid || ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')
  } catch {
    return false
  }
}

/** What speaks for and against taking a Lease from its holder, as far as this machine can see. */
export interface Standing {
  /** Neither the holder nor a helm of its runs any more. */
  readonly isGone: boolean
  /** Its helm runs, with its kk or without. */
  readonly isAtWork: boolean
  /** Who is waited for, for messages. */
  readonly by: string
}

type Sighted = Pick<LeaseView, 'holder' | 'processes'>

export function standingOf({holder, processes}: Sighted): Standing {
  const {operation} = processes
  const by = holder ?? 'somebody'
  const helm = operation?.helm ?? {state: 'gone'}
  if (helm.state !== 'running')
    return {isGone: processes.holder === 'gone' && helm.state === 'gone', isAtWork: false, by}
  const isAlone = operation?.kk === 'gone'
  return {
    isGone: false,
    isAtWork: true,
    by: isAlone ? `${by}, which is gone, but whose helm (process ${helm.process.pid}) still works` : by,
  }
}

/** Whether somebody holds a Lease, and is not known to have ended. `now` is in milliseconds since the epoch. */
export function isLive(lease: Sighted & Pick<LeaseView, 'runsOut'>, now: number): boolean {
  return lease.holder !== undefined && (lease.runsOut ?? 0) > now && !standingOf(lease).isGone
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

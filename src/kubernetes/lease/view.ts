import type {Pod} from 'kubernetes-types/core/v1.js'
import type {ReleaseId} from '../../release.ts'
import {findProcess, isRunning, type ProcessIdentity} from '../../state/processes/process-identity.ts'
import {
  type PlacedProcess,
  type PodIdentity,
  type ProcessState,
  readProcessState,
  relationOf,
  thisPlace,
} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import {PODS, readObject} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {DELETION_MARKER} from '../reservations/reservation.ts'
import {allLeases, LEASE_SECONDS, type Lease, leaseName, RELEASE, readLease} from './lease.ts'
import {leaseOperation, leaseProcess, OPERATION_VARIABLE, type Operation, operationName} from './operation.ts'

/** The Lease of a release, for other processes than its holder. */
export interface LeaseView {
  readonly release: ReleaseId
  /**
   * For display: user, host, process, run. Undefined after the Lease was released; it is then only a record
   * of the operation.
   */
  readonly holder: string | undefined
  readonly process: PlacedProcess | undefined
  /** ISO 8601, by the clock of the holder. */
  readonly acquiredAt: string | undefined
  readonly renewedAt: string | undefined
  /** The expiry unless it is renewed: milliseconds since the epoch, by the same clock. */
  readonly runsOut: number | undefined
  /** Whether the release is being removed: an installation of a dependent waits. */
  readonly isRemoval: boolean
  /** The last helm operation, maybe of an earlier holder. */
  readonly operation: Operation | undefined
  /** The processes, as far as this machine can see. */
  readonly processes: LeaseProcesses
}

/** Returns the Lease of one release; undefined if there is none. */
export async function viewLease(client: ApiClient, release: ReleaseId): Promise<LeaseView | undefined> {
  const lease = await readLease(client, release)
  return lease && (await buildLeaseView(client, release, lease))
}

/** Returns all Leases of releases, in one list: of running and of killed runs. */
export async function viewLeases(client: ApiClient): Promise<readonly LeaseView[]> {
  const all = await allLeases(client)
  const named = all.flatMap((lease) => {
    const release = lease.metadata.annotations?.[RELEASE] as ReleaseId | undefined
    return release !== undefined && lease.metadata.name === leaseName(release) ? [{release, lease}] : []
  })
  return Promise.all(named.map(({release, lease}) => buildLeaseView(client, release, lease)))
}

/** Returns a Lease with the state of its processes. */
export async function buildLeaseView(
  client: ApiClient,
  release: ReleaseId,
  lease: Lease,
): Promise<LeaseView> {
  const {holderIdentity, acquireTime, renewTime} = lease.spec ?? {}
  const runsOut = expiresAt(lease)
  return {
    release,
    holder: holderIdentity || undefined,
    process: leaseProcess(lease),
    acquiredAt: acquireTime,
    renewedAt: renewTime,
    runsOut: Number.isNaN(runsOut) ? undefined : runsOut,
    isRemoval: lease.metadata.annotations?.[DELETION_MARKER] !== undefined,
    operation: leaseOperation(lease),
    processes: await readProcesses(client, release, lease),
  }
}

/** Returns the expiry of a Lease, in milliseconds since the epoch; NaN if it has no renewal time. */
function expiresAt({spec}: Lease): number {
  return Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? LEASE_SECONDS) * 1000
}

/** The state of a helm process that kk has started, as far as this machine can see. */
export type HelmProcess =
  | {readonly state: 'running'; readonly process: ProcessIdentity}
  | {readonly state: 'gone' | 'unseen'}

/** The state of the processes of a Lease, as far as this machine can see. */
interface LeaseProcesses {
  /** The holder; `unseen` also if the Lease does not describe its process. */
  readonly holder: ProcessState
  readonly operation?: {readonly kk: ProcessState; readonly helm: HelmProcess}
}

async function readProcesses(client: ApiClient, release: ReleaseId, lease: Lease): Promise<LeaseProcesses> {
  const [holder, operation] = [leaseProcess(lease), leaseOperation(lease)]
  const hasExpired = Date.now() > expiresAt(lease) + CLOCK_TOLERANCE_MS
  const observeProcess = async (process: PlacedProcess): Promise<ProcessState> => {
    const state = await readProcessState(process)
    const {pod} = process
    const mayBeOver = hasExpired || process.pod?.uid !== holder?.pod?.uid
    return state === 'unseen' && pod && mayBeOver && (await hasEnded(client, pod)) ? 'gone' : state
  }
  const kk = operation && (await observeProcess(operation.kk))
  return {
    holder: holder ? await observeProcess(holder) : 'unseen',
    ...(operation && kk && {operation: {kk, helm: await readHelmProcess(release, operation, kk)}}),
  }
}

/** Returns whether a helm process of the operation still runs, whatever its parent is. */
async function readHelmProcess(
  release: ReleaseId,
  {kk, helm, run}: Operation,
  kkState: ProcessState,
): Promise<HelmProcess> {
  const relation = relationOf(kk, await thisPlace())
  if (relation === 'before') return {state: 'gone'}
  if (relation === 'elsewhere') return {state: kkState === 'gone' ? 'gone' : 'unseen'}
  if (helm && (await isRunning(helm))) return {state: 'running', process: helm}
  const running = await findProcess(OPERATION_VARIABLE, operationName(run, release))
  return running ? {state: 'running', process: running} : {state: 'gone'}
}

/**
 * Returns true if a pod is gone, or has ended, together with its processes. An unreachable node may still run
 * a pod that was deleted by force: call it only after the Lease has expired. Returns false if the user may
 * not read pods.
 */
async function hasEnded(client: ApiClient, {namespace, name, uid}: PodIdentity): Promise<boolean> {
  try {
    const pod = await readObject<Served<Pod>>(client, PODS, {namespace, name})
    return pod?.metadata.uid !== uid || ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')
  } catch {
    return false
  }
}

/** Whether a Lease may be taken from its holder, as far as this machine can see. */
export interface LeaseAssessment {
  /** Neither the holder nor its helm process runs. */
  readonly isGone: boolean
  /** Its helm runs, with or without its kk. */
  readonly isHelmRunning: boolean
  /** The holder, for messages. */
  readonly by: string
}

type ObservedLease = Pick<LeaseView, 'holder' | 'processes'>

export function assessLease({holder, processes}: ObservedLease): LeaseAssessment {
  const {operation} = processes
  const by = holder ?? 'an unknown holder'
  const helm = operation?.helm ?? {state: 'gone'}
  if (helm.state !== 'running')
    return {isGone: processes.holder === 'gone' && helm.state === 'gone', isHelmRunning: false, by}
  const isAlone = operation?.kk === 'gone'
  return {
    isGone: false,
    isHelmRunning: true,
    by: isAlone ? `${by}, which is gone, but whose helm (process ${helm.process.pid}) still runs` : by,
  }
}

/** Whether a Lease has a holder that is not known to have ended. `now` is in milliseconds since the epoch. */
export function isLive(lease: ObservedLease & Pick<LeaseView, 'runsOut'>, now: number): boolean {
  return lease.holder !== undefined && (lease.runsOut ?? 0) > now && !assessLease(lease).isGone
}

/** The tolerance for clocks that differ, after the expiry; in milliseconds. */
const CLOCK_TOLERANCE_MS = LEASE_SECONDS * 1000

/**
 * Returns why no process works under a Lease, so that the next run takes it over; undefined while one may.
 * `now` is in milliseconds since the epoch.
 */
export function staleness(
  lease: ObservedLease & Pick<LeaseView, 'runsOut' | 'renewedAt'>,
  now: number,
): string | undefined {
  const {isGone, isHelmRunning} = assessLease(lease)
  if (isGone) return 'whose process is gone'
  if (isHelmRunning || lease.runsOut === undefined || lease.runsOut + CLOCK_TOLERANCE_MS > now)
    return undefined
  return `who has not renewed it since ${lease.renewedAt!.slice(0, 19)}Z`
}

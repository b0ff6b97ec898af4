import type {ReleaseId} from '../../release.ts'
import type {ProcessIdentity} from '../../state/processes/process-identity.ts'
import {type PlacedProcess, thisProcess} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import type {Lease} from './lease.ts'

/** Annotations of a Lease: the process that holds it, and its last helm operation. */
export const HOLDER = 'kk.openstack.org/holder'
export const OPERATION = 'kk.openstack.org/operation'

/**
 * The environment variable of each helm process: `RUN/NAMESPACE/RELEASE`. It identifies helm processes whose
 * kk was killed.
 */
export const OPERATION_VARIABLE = 'KK_OPERATION'

/** Returns the variables that identify a helm operation. */
export function operationEnvironment(run: string, release: ReleaseId): Readonly<Record<string, string>> {
  return {[OPERATION_VARIABLE]: operationName(run, release)}
}

export type OperationVerb = 'install' | 'upgrade' | 'rollback' | 'remove' | 'test'

/** A helm operation, as its Lease describes it before helm starts. */
export interface StartedOperation {
  readonly verb: OperationVerb
  /** The revision that helm will create; for a removal or a test, the last revision. */
  readonly revision: number
  readonly run: string
  readonly environment: string
}

export interface Operation extends StartedOperation {
  /**
   * The time at which kk kills its helm process, in milliseconds since the epoch by the clock of the API
   * server.
   */
  readonly deadline: number
  /** The kk that started helm. */
  readonly kk: PlacedProcess
  /** On kk's machine; absent between helm's start and the next write of the Lease. */
  readonly helm?: ProcessIdentity
  /** Whether kk has observed the end of helm, with an unfinished record. */
  readonly ended?: boolean
}

/**
 * Returns this process for a Lease; its pod only in the pod's own cluster, because no other cluster can look
 * it up.
 */
export async function describeProcess({isOfPod}: Pick<ApiClient, 'isOfPod'>): Promise<PlacedProcess> {
  const {pod, ...elsewhere} = await thisProcess()
  return {...elsewhere, ...(isOfPod && pod && {pod})}
}

/** Returns the value of `KK_OPERATION`. */
export function operationName(run: string, release: ReleaseId): string {
  return `${run}/${release}`
}

/** Returns the operation in a Lease's annotation; undefined if there is none, or it cannot be parsed. */
export function leaseOperation(lease: Lease | undefined): Operation | undefined {
  const operation = parse<Operation>(lease, OPERATION)
  return operation?.kk !== undefined && Number.isSafeInteger(operation.revision) ? operation : undefined
}

/**
 * Returns the process of the Lease's holder; undefined if its annotation is missing, or an older kk has kept
 * the one of an earlier holder.
 */
export function leaseProcess(lease: Lease | undefined): PlacedProcess | undefined {
  const annotation = parse<PlacedProcess & {readonly holder?: string}>(lease, HOLDER)
  if (
    !annotation ||
    annotation.holder !== lease?.spec?.holderIdentity ||
    !Number.isSafeInteger(annotation.pid)
  )
    return undefined
  const {holder: _, ...process} = annotation
  return process
}

function parse<T extends object>(lease: Lease | undefined, annotation: string): T | undefined {
  try {
    const value: unknown = JSON.parse(lease?.metadata.annotations?.[annotation] ?? 'null')
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}

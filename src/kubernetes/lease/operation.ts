import type {ReleaseId} from '../../release.ts'
import type {ProcessIdentity} from '../../state/processes/process-identity.ts'
import {type PlacedProcess, thisProcess} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import type {Lease} from './lease.ts'

/** Annotations of a Lease: the process that holds it, and what helm was last started for under it. */
export const HOLDER = 'kk.openstack.org/holder'
export const OPERATION = 'kk.openstack.org/operation'

/** Each helm is started with it, so that one whose kk was killed is found: `RUN/NAMESPACE/RELEASE`. */
export const OPERATION_VARIABLE = 'KK_OPERATION'

/** The variables that tell a helm's operation. */
export function operationEnvironment(run: string, release: ReleaseId): Readonly<Record<string, string>> {
  return {[OPERATION_VARIABLE]: operationName(run, release)}
}

export type OperationVerb = 'install' | 'upgrade' | 'rollback' | 'remove' | 'test'

/** What helm is started for, as its Lease says it before it starts. */
export interface BegunOperation {
  readonly verb: OperationVerb
  /** The revision that helm is to make; of a removal and a test the last one. */
  readonly revision: number
  readonly run: string
  readonly environment: string
}

export interface Operation extends BegunOperation {
  /** Milliseconds since the epoch, by the clock of the API server: kk ends its helm then. */
  readonly deadline: number
  /** The kk that started helm. */
  readonly kk: PlacedProcess
  /** Where kk lives, too; absent in the moment between helm's start and the note of it. */
  readonly helm?: ProcessIdentity
  /** Helm has ended, as the kk that started it has seen, and has left its record unfinished. */
  readonly ended?: boolean
}

/** Returns this process as a Lease tells it; its pod only to the cluster of the pod, for no other one can look at that. */
export async function processFor({isOfPod}: Pick<ApiClient, 'isOfPod'>): Promise<PlacedProcess> {
  const {pod, ...elsewhere} = await thisProcess()
  return {...elsewhere, ...(isOfPod && pod && {pod})}
}

/** The value of `KK_OPERATION`. */
export function operationName(run: string, release: ReleaseId): string {
  return `${run}/${release}`
}

/** The operation that stands on a Lease; undefined when there is none, or somebody has edited it beyond recognition. */
export function operationOn(lease: Lease | undefined): Operation | undefined {
  const operation = parse<Operation>(lease, OPERATION)
  return operation?.kk !== undefined && Number.isSafeInteger(operation.revision) ? operation : undefined
}

/** The process of whoever holds the Lease, where it tells: an older kk leaves the note of another before it. */
export function holderOn(lease: Lease | undefined): PlacedProcess | undefined {
  const note = parse<PlacedProcess & {readonly holder?: string}>(lease, HOLDER)
  if (!note || note.holder !== lease?.spec?.holderIdentity || !Number.isSafeInteger(note.pid))
    return undefined
  const {holder: _, ...process} = note
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

import type {ReleaseId} from '../../release.ts'
import {findProcess} from '../../state/processes/find-process.ts'
import {isRunning, type ProcessIdentity} from '../../state/processes/process-identity.ts'
import {relationOf, type Sighting, sightProcess, thisPlace} from '../../state/processes/process-place.ts'
import type {Lease} from './lease.ts'
import {holderOn, OPERATION_VARIABLE, type Operation, operationName, operationOn} from './operation.ts'

/** What this machine sees of a helm that kk has started. */
export type HelmSighting =
  | {readonly state: 'running'; readonly process: ProcessIdentity}
  | {readonly state: 'gone' | 'unseen'}

/** What this machine sees of the processes behind a Lease. */
export interface LeaseSighting {
  /** The holder; `unseen` also when the Lease does not tell its process. */
  readonly holder: Sighting
  readonly operation?: {readonly kk: Sighting; readonly helm: HelmSighting}
}

export async function sightLease(release: ReleaseId, lease: Lease): Promise<LeaseSighting> {
  const [holder, operation] = [holderOn(lease), operationOn(lease)]
  return {
    holder: holder ? await sightProcess(holder) : 'unseen',
    ...(operation && {
      operation: {kk: await sightProcess(operation.kk), helm: await sightHelm(release, operation)},
    }),
  }
}

/** Whether a helm that was started for the operation still runs, whoever its parent is now. */
export async function sightHelm(release: ReleaseId, {kk, helm, run}: Operation): Promise<HelmSighting> {
  const relation = relationOf(kk, await thisPlace())
  if (relation === 'before') return {state: 'gone'}
  if (relation === 'elsewhere') return {state: 'unseen'}
  if (helm && (await isRunning(helm))) return {state: 'running', process: helm}
  const found = await findProcess(OPERATION_VARIABLE, operationName(run, release))
  return found ? {state: 'running', process: found} : {state: 'gone'}
}

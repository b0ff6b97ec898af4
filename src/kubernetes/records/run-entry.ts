import {hostname} from 'node:os'
import {isRunning} from '../../state/processes/process-identity.ts'
import type {RunOutcome, RunRecord} from './runs.ts'

/**
 * `killed`: its process was on this machine and is gone. `not-ended`: this machine cannot determine whether
 * it runs.
 */
export type RunState = RunOutcome | 'killed' | 'not-ended'

export interface RunEntry extends RunRecord {
  readonly state: RunState
}

/** Returns the record of a run with its state. */
export async function runEntry(record: RunRecord): Promise<RunEntry> {
  return {...record, state: await runState(record)}
}

/** Returns the state of a run, as far as this machine can see. */
export async function runState({outcome, process}: RunRecord): Promise<RunState> {
  if (outcome !== 'running') return outcome
  if (process.host !== hostname()) return 'not-ended'
  return (await isRunning(process)) ? 'running' : 'killed'
}

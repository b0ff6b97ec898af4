import {asKkError} from '../../errors.ts'
import type {Action} from '../../plan/plan.ts'
import type {Journal} from './journal.ts'

export interface HelmRun {
  readonly journal: Journal
  readonly action: Pick<Action, 'release' | 'kind' | 'revision'>
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

/** Runs helm between two notes: what it is to do stands on disk before it starts, and that it ended before anything follows. */
export async function helmUnderJournal<T>(
  {journal, action: {release, kind, revision}, deadline}: HelmRun,
  helm: (onStarted: (pid: number) => void) => Promise<T>,
): Promise<T> {
  const made = kind === 'test' ? revision : revision + 1
  await journal.note({type: 'helm-starting', release, verb: kind, revision: made, deadline})
  try {
    const result = await helm((pid) => void journal.note({type: 'helm-started', release, pid}))
    await journal.note({type: 'helm-ended', release})
    return result
  } catch (error) {
    await journal.note({type: 'helm-ended', release, error: asKkError(error).code})
    throw error
  }
}

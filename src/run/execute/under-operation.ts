import type {HeldLease} from '../../cluster/cluster.ts'
import {type OperationVerb, operationEnvironment} from '../../cluster/lease/operation.ts'
import {asKkError, KkError} from '../../errors.ts'
import type {OperationOptions} from '../../helm/helm.ts'
import {isLeftBy} from '../../plan/pending/evidence.ts'
import type {Action} from '../../plan/plan.ts'
import type {Journal} from '../journal.ts'
import type {Execution} from './execution.ts'

type Started = Required<Pick<OperationOptions, 'env' | 'onStarted'>>

/**
 * Runs helm when it stands in the journal and on the Lease what it is started for: should kk be killed, the next run can
 * tell whether helm still works, and that it was kk's.
 */
export function underOperation<T>(
  execution: Execution,
  lease: HeldLease,
  helm: (options: Started) => Promise<T>,
): Promise<T> {
  const {action, clock, controls, deadline, run, environment} = execution
  const {release, kind} = action
  if (!isHelms(kind)) throw new KkError('KK_BUG', `helm has no part in ${kind} ${release}`)
  const revision = kind === 'remove' || kind === 'test' ? action.revision : action.revision + 1
  return helmUnderJournal(execution, async (note) => {
    controls.onChanging()
    await lease.begin({verb: kind, revision, run, environment, milliseconds: deadline - clock.now()})
    let noted = Promise.resolve()
    const onStarted = (pid: number) => {
      note(pid)
      // Without the note, helm is found by its environment.
      noted = lease.started(pid).catch(() => undefined)
    }
    try {
      return await helm({env: operationEnvironment(run, release), onStarted})
    } finally {
      await noted
    }
  })
}

function isHelms(kind: string): kind is OperationVerb {
  return ['install', 'upgrade', 'rollback', 'remove', 'test'].includes(kind)
}

/**
 * Does what helm is needed for, and what follows it. When that fails and helm has left the record unfinished, though it
 * has ended, the record is marked failed at once. When that cannot be done, the Lease is left with its evidence.
 */
export async function settling<T>(
  execution: Execution,
  lease: HeldLease,
  body: () => Promise<T>,
): Promise<T> {
  try {
    return await body()
  } catch (error) {
    // Whoever raced may be at work on the record.
    if (!lease.lost.aborted && asKkError(error).code !== 'KK_RACED')
      await settle(execution, lease).catch(() => lease.leave())
    throw error
  }
}

/** How often, 200 ms apart, a process is looked for that still bears the name of an operation whose helm has ended. */
const LOOKS = 10

async function settle(execution: Execution, lease: HeldLease): Promise<void> {
  const {action, cluster, controls, run} = execution
  const {release} = action
  const [record, view] = await Promise.all([cluster.lastRecord(release), cluster.lease(release)])
  const operation = view?.operation
  if (!record || operation?.run !== run || !isLeftBy(record, operation)) return
  if (await isAtWork(execution)) return lease.leave()
  if (record.status === 'uninstalling') {
    await lease.ended()
    return lease.leave()
  }
  await cluster.markFailed(record, `kk: helm ended and left it ${record.status} (run ${run})`)
  controls.onProgress('helm', `revision ${record.revision} was left ${record.status}: marked failed`)
}

/** A wrapper of helm may have been killed, and helm not. */
async function isAtWork({action, cluster, clock}: Execution): Promise<boolean> {
  for (let look = 1; look <= LOOKS; look++) {
    const view = await cluster.lease(action.release)
    if (view?.processes.operation?.helm.state !== 'running') return false
    await clock.wait(200, new AbortController().signal)
  }
  return true
}

interface HelmRun {
  readonly journal: Journal
  readonly action: Pick<Action, 'release' | 'kind' | 'revision'>
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

/** Runs helm between two notes: what it is to do stands on disk before it starts, and that it ended before anything follows. */
async function helmUnderJournal<T>(
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

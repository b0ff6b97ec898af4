import {asKkError, KkError} from '../../errors.ts'
import {redactor} from '../../helm/redact/redact.ts'
import type {Action} from '../../plan/plan.ts'
import type {Controls} from '../perform.ts'
import {adopt} from './actions/adopt.ts'
import {change} from './actions/change.ts'
import {passGate, passGateAgain} from './actions/pass-gate.ts'
import {type PruningWork, prune} from './actions/prune.ts'
import {relabel} from './actions/relabel.ts'
import {type RemovalWork, remove} from './actions/remove.ts'
import {rollback} from './actions/rollback.ts'
import {test} from './actions/test.ts'
import type {Execution, Tools} from './execution.ts'
import {DEFAULT_TIMEOUT_SECONDS, type Work} from './work.ts'

interface Execute {
  readonly action: Action
  /** May be missing where helm does not run. */
  readonly work: Work | undefined
  /** Of a removal, in its place. */
  readonly removal?: RemovalWork | undefined
  /** Of a pruning. */
  readonly pruning?: PruningWork | undefined
  /** Where there is no work. */
  readonly timeoutSeconds?: number | undefined
  readonly tools: Tools
  readonly controls: Controls
}

/**
 * Does one action, up to its passed gate. Throws `KK_HELD` and `KK_RACED` when others are at work on the release,
 * `KK_INVALID_OBJECT`, what helm throws with the pod that is to blame, `KK_PENDING` when helm could not record its
 * end, `KK_UNHEALTHY`, `KK_INTERRUPTED`.
 */
export async function execute({
  action,
  work,
  removal,
  pruning,
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
  tools,
  controls,
}: Execute): Promise<{readonly revision: number}> {
  const given = work ?? removal
  const seconds = given?.timeoutSeconds ?? timeoutSeconds
  const execution: Execution = {
    ...tools,
    action,
    controls,
    deadline: tools.clock.now() + seconds * 1000,
    ...(given && {redact: redactor(given.values)}),
  }
  const {release} = action
  try {
    const result = await perform(execution, {work, removal, pruning})
    await tools.journal.note({type: 'release-ended', release})
    return result
  } catch (error) {
    tools.agreement.failed(release, error)
    await tools.journal.note({type: 'release-ended', release, error: asKkError(error).code})
    throw error
  }
}

async function perform(
  execution: Execution,
  {work, removal, pruning}: Pick<Execute, 'work' | 'removal' | 'pruning'>,
): Promise<{readonly revision: number}> {
  const {action} = execution
  switch (action.kind) {
    case 'install':
    case 'upgrade':
      return passGate(execution, await change(execution, needed(work, action)))
    case 'rollback': {
      const {redact, ...deployed} = await rollback(execution)
      return passGate({...execution, redact}, deployed)
    }
    case 'remove':
      return remove(execution, needed(removal, action))
    case 'prune':
      return prune(execution, needed(pruning, action))
    case 'test':
      return test(execution)
    case 'relabel':
      await relabel(execution, needed(work, action))
      return passGateAgain(execution)
    case 'adopt':
      return adopt(execution, needed(work, action))
    case 'await':
    case 'check':
      return passGateAgain(execution)
    case 'unchanged':
      return {revision: action.revision}
  }
}

function needed<T>(work: T | undefined, {release, kind}: Action): T {
  if (!work) throw new KkError('KK_BUG', `nothing was prepared to ${kind} ${release}`)
  return work
}

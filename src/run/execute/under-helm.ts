import type {HeldLease, HookWatch, KubernetesObject} from '../../cluster/cluster.ts'
import {describeCause} from '../../cluster/gate/cause.ts'
import {isHook} from '../../cluster/helm-annotations.ts'
import {asKkError, KkError} from '../../errors.ts'
import type {ActionKind} from '../../plan/plan.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {ChartWork} from '../task.ts'
import type {Execution} from './execution.ts'
import {masking} from './masking.ts'
import {areServed} from './served-kinds.ts'

/** How often the objects of a release that others wait for are looked for. */
const LOOK_MILLISECONDS = 1000

interface Surroundings {
  readonly execution: Execution
  readonly work: Pick<ChartWork, 'objects' | 'timeoutSeconds'>
  readonly lease: HeldLease
}

/**
 * Runs helm, and meanwhile watches its hooks, its deadline, its Lease, and whether the objects exist for which others
 * wait. Says why helm ended when it was not by itself, and which pod is the cause when helm only says "timed out".
 */
export async function underHelm<T>(
  surroundings: Surroundings,
  helm: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const {execution, lease} = surroundings
  const {clock, controls, deadline} = execution
  lease.lost.throwIfAborted()
  const ended = new AbortController()
  const overdue = new AbortController()
  const late = clock.wait(deadline - clock.now(), ended.signal).then((isLate) => isLate && overdue.abort())
  const hooks = await watchHooks(surroundings)
  const looking = lookForObjects(surroundings, ended.signal)
  try {
    return await helm(AbortSignal.any([controls.signal, lease.lost, overdue.signal]))
  } catch (error) {
    throw await explain(error, {surroundings, hooks, overdue: overdue.signal})
  } finally {
    ended.abort()
    hooks.stop()
    await Promise.all([late, looking])
  }
}

function watchHooks({execution, work}: Surroundings): Promise<HookWatch> {
  const {action, cluster, controls} = execution
  return cluster.watchHooks({
    namespace: releaseNamespace(action.release),
    hooks: work.objects.filter(isHook),
    redact: masking(execution),
    signal: controls.signal,
    onProgress: (blames) => {
      if (blames[0]) controls.onProgress('helm', describeCause(blames[0]), blames)
    },
  })
}

/** An `applied` edge awaits neither health nor hooks: those who wait may start while helm still waits for hooks. */
async function lookForObjects({execution, work}: Surroundings, ended: AbortSignal): Promise<void> {
  const {action, cluster, controls, clock} = execution
  if (!controls.appliedAwaited) return
  const objects = work.objects.filter((object) => !isHook(object))
  while (await clock.wait(LOOK_MILLISECONDS, ended)) {
    const exist = await allThere(cluster, releaseNamespace(action.release), objects).catch(() => false)
    if (!exist || ended.aborted) continue
    controls.onApplied()
    return
  }
}

async function allThere(
  cluster: Execution['cluster'],
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<boolean> {
  return (await cluster.exist(namespace, objects)) && (await areServed(cluster, objects))
}

interface Ending {
  readonly surroundings: Surroundings
  readonly hooks: HookWatch
  readonly overdue: AbortSignal
}

async function explain(error: unknown, {surroundings, hooks, overdue}: Ending): Promise<KkError> {
  const {execution, lease, work} = surroundings
  const {release, kind} = execution.action
  const failure = asKkError(error)
  if (lease.lost.aborted) return lostUnderHelm(release, kind, lease.lost)
  if (execution.controls.signal.aborted) return failure
  if (!overdue.aborted && failure.code !== 'KK_HELM_FAILED') return failure
  const blames = await hooks.blames()
  const message = overdue.aborted
    ? `${release}: helm ${kind} did not end within ${work.timeoutSeconds} s`
    : failure.message
  const hint = overdue.aborted
    ? `find out what it waits for, or give it more time: kk.releases.${releaseName(release)}.timeout`
    : failure.hint
  return new KkError('KK_HELM_FAILED', [message, ...blames.map(describeCause)].join('; '), {
    cause: failure,
    ...(hint === undefined ? {} : {hint}),
    log: [...failure.log, ...blames.flatMap((cause) => cause.log ?? [])],
  })
}

/** Kubernetes has nothing that would refuse the writes of who has lost a Lease. */
function lostUnderHelm(release: ReleaseId, kind: ActionKind, lost: AbortSignal): KkError {
  const cause = asKkError(lost.reason)
  return new KkError(
    'KK_LEASE_LOST',
    `${cause.message}; helm ${kind} ran, and was ended. What it had sent to the cluster by then is not undone, and whoever holds ${releaseName(release)} now is not shielded from it`,
    {cause, hint: 'look at what it left with kk status, then run the same command again'},
  )
}

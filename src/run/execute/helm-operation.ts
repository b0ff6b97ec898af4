import {asKkError, KkError} from '../../base/errors.ts'
import type {OperationOptions} from '../../helm/helm.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import {NOT_SEEN} from '../../kubernetes/gate/evaluate.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {HookWatch} from '../../kubernetes/gate/health-checks.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import {type OperationVerb, operationEnvironment} from '../../kubernetes/lease/operation.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {isLasting} from '../../kubernetes/objects/missing.ts'
import {isLeftBy} from '../../plan/pending/evidence.ts'
import {HOOK_EVENTS} from '../../plan/removal/hook-data.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import {type Execution, masking} from './execution.ts'
import {areServed} from './served-kinds.ts'

interface BeginOptions {
  readonly lease: HeldLease
  /** The objects of the release, hooks included, as far as they are known. */
  readonly objects: readonly KubernetesObject[]
  /** The time of the action as its messages state it, in seconds; what is left of it unless given. */
  readonly timeoutSeconds?: number
  /**
   * Helm has no handler for signals in rollback and uninstall: it would end at once and leave the release pending. So an
   * abort of the run lets it end by itself; its deadline and the loss of its Lease still end it.
   */
  readonly ignoresAbort?: boolean
}

/** Helm at work on a release: its hooks, its deadline and its Lease are watched until the operation is disposed of. */
interface HelmOperation extends AsyncDisposable {
  /** The options that helm is to be started with. */
  readonly options: Required<Pick<OperationOptions, 'env' | 'onStarted' | 'signal' | 'timeoutSeconds'>>
  /**
   * Returns what helm resolves with. Throws why helm ended when it was not by itself, and which pod is the cause when helm
   * only says "timed out".
   */
  result<T>(helm: Promise<T>): Promise<T>
  /**
   * Throws `KK_UNHEALTHY` if helm has ended well though a hook was not seen to complete: helm 3 takes a deletion for its
   * end. The record is then marked failed, with the hook, so that the next run has helm make it again.
   */
  expectHooks(): Promise<void>
}

/**
 * Prepares a start of helm: what it is to do stands in the journal and on the Lease before, so that the next run can tell whether
 * helm still works should kk be killed, and that it was kk's. From then on the hooks, the deadline and the Lease are watched, and
 * the objects for which others wait are looked for. Throws `KK_LEASE_LOST`.
 */
export async function beginOperation(
  execution: Execution<OperationVerb>,
  begun: BeginOptions,
): Promise<HelmOperation> {
  const {action, clock, controls, deadline, journal, run, environment} = execution
  const {release, kind} = action
  const {lease} = begun
  const next = action.revision + 1
  await journal.note({
    type: 'helm-starting',
    release,
    verb: kind,
    revision: kind === 'test' ? action.revision : next,
    deadline,
  })
  let failure: unknown
  let noted = Promise.resolve()
  const ending = new AsyncDisposableStack()
  ending.defer(() => {
    const error = failure === undefined ? {} : {error: asKkError(failure).code}
    return journal.note({type: 'helm-ended', release, ...error})
  })
  ending.defer(() => noted)
  try {
    controls.onChanging()
    const revision = kind === 'remove' || kind === 'test' ? action.revision : next
    await lease.begin({verb: kind, revision, run, environment, milliseconds: deadline - clock.now()})
    lease.lost.throwIfAborted()
    const watch = ending.use(await watchHelm(execution, begun))
    return {
      options: {
        env: operationEnvironment(run, release),
        onStarted(pid) {
          void journal.note({type: 'helm-started', release, pid})
          // Without the note, helm is found by its environment.
          noted = lease.started(pid).catch(() => undefined)
        },
        signal: watch.signal,
        timeoutSeconds: Math.max(1, Math.ceil((deadline - clock.now()) / 1000)),
      },
      async result(helm) {
        try {
          return await helm
        } catch (error) {
          failure = await watch.explain(error)
          throw failure
        }
      },
      async expectHooks() {
        const causes = await watch.incomplete()
        if (causes.length === 0) return
        const error = unhooked(action, causes)
        if (!lease.lost.aborted) await markUnhooked(execution, error, causes).catch(() => undefined)
        throw error
      },
      [Symbol.asyncDispose]: () => ending.disposeAsync(),
    }
  } catch (error) {
    failure = error
    await ending.disposeAsync()
    throw error
  }
}

/**
 * Marks the record failed when helm has left it unfinished, though it has ended. When that cannot be done, the Lease is left
 * with its evidence. To be called under the Lease with what made the operation, or what followed it, fail.
 */
export async function settle(execution: Execution, lease: HeldLease, error: unknown): Promise<void> {
  // Whoever raced may be at work on the record.
  if (lease.lost.aborted || asKkError(error).code === 'KK_RACED') return
  await markLeft(execution, lease).catch(() => lease.leave())
}

async function markUnhooked(
  {action, cluster}: Execution,
  {message}: KkError,
  causes: readonly Cause[],
): Promise<void> {
  const record = await cluster.records.last(action.release)
  if (record?.revision !== action.revision + 1 || record.status !== 'deployed') return
  const hooks = causes.map(({object}) => object)
  await cluster.records.markFailed(record, `kk: ${message}`, hooks)
}

/** How often, 200 ms apart, a process is looked for that still bears the name of an operation whose helm has ended. */
const LOOKS = 10

async function markLeft(execution: Execution, lease: HeldLease): Promise<void> {
  const {action, cluster, controls, run} = execution
  const {release} = action
  const [record, view] = await Promise.all([cluster.records.last(release), cluster.leases.read(release)])
  const operation = view?.operation
  if (!record || operation?.run !== run || !isLeftBy(record, operation)) return
  if (await isAtWork(execution)) return lease.leave()
  if (record.status === 'uninstalling') {
    await lease.ended()
    return lease.leave()
  }
  await cluster.records.markFailed(record, `kk: helm ended and left it ${record.status} (run ${run})`)
  controls.onProgress('helm', `revision ${record.revision} was left ${record.status}: marked failed`)
}

/** A wrapper of helm may have been killed, and helm not. */
async function isAtWork({action, cluster, clock}: Execution): Promise<boolean> {
  for (let look = 1; look <= LOOKS; look++) {
    const view = await cluster.leases.read(action.release)
    if (view?.processes.operation?.helm.state !== 'running') return false
    await clock.wait(200, new AbortController().signal)
  }
  return true
}

/** How often the objects of a release that others wait for are looked for. */
const LOOK_MILLISECONDS = 1000

interface HelmWatch extends AsyncDisposable, Pick<HookWatch, 'incomplete'> {
  /** Ends helm: at the deadline, when the Lease is lost, or when the run is aborted. */
  readonly signal: AbortSignal
  /** Returns why helm failed. */
  explain(error: unknown): Promise<KkError>
}

async function watchHelm(execution: Execution<OperationVerb>, begun: BeginOptions): Promise<HelmWatch> {
  const {action, clock, controls, deadline} = execution
  const {lease, ignoresAbort = false} = begun
  const ended = new AbortController()
  const overdue = new AbortController()
  const aborted = ignoresAbort ? new AbortController().signal : controls.signal
  const seconds = begun.timeoutSeconds ?? Math.max(1, Math.ceil((deadline - clock.now()) / 1000))
  const doomed = new AbortController()
  const onDeleted = async () => {
    // Helm itself deletes a hook when its time is over, and ends then.
    if (!(await clock.wait(DELETED_MILLISECONDS, ended.signal))) return
    if (hooks.deleted().length > 0) doomed.abort()
  }
  const hooks = await watchHooks(execution, {objects: begun.objects, signal: aborted, onDeleted})
  const late = clock.wait(deadline - clock.now(), ended.signal).then((isLate) => isLate && overdue.abort())
  const looking = lookForObjects(execution, begun.objects, ended.signal)

  return {
    signal: AbortSignal.any([aborted, lease.lost, overdue.signal, doomed.signal]),
    async explain(error) {
      const failure = asKkError(error)
      if (lease.lost.aborted) return lostUnderHelm(action, lease.lost)
      if (aborted.aborted) return failure
      if (doomed.signal.aborted) return withCauses(execution, doomedError(action, failure), hooks)
      if (overdue.signal.aborted) return withCauses(execution, overdueError(action, failure, seconds), hooks)
      return failure.code === 'KK_HELM_FAILED' ? withCauses(execution, failure, hooks) : failure
    },
    incomplete: hooks.incomplete,
    async [Symbol.asyncDispose]() {
      ended.abort()
      hooks.stop()
      await Promise.all([late, looking])
    },
  }
}

/** How long helm may go on after a hook was deleted that had not completed, in milliseconds. */
const DELETED_MILLISECONDS = 5_000

interface WatchOptions {
  readonly objects: readonly KubernetesObject[]
  readonly signal: AbortSignal
  /** Called when a hook was deleted before it had completed. */
  readonly onDeleted: () => void
}

function watchHooks(
  execution: Execution<OperationVerb>,
  {objects, signal, onDeleted}: WatchOptions,
): Promise<HookWatch> {
  const {action, cluster, controls, helm} = execution
  return cluster.health.watchHooks({
    namespace: releaseNamespace(action.release),
    objects,
    ...(helm.version.major === 3 && {mustShow: HOOK_EVENTS[action.kind]}),
    redact: masking(execution),
    signal,
    onProgress: (causes) => {
      if (causes.some(({reason}) => reason === NOT_SEEN)) onDeleted()
      const message = causes[0] === undefined ? `helm ${action.kind}` : describeCause(causes[0])
      controls.onProgress('helm', message, causes)
    },
  })
}

/** An `applied` edge awaits neither health nor hooks: those who wait may start while helm still waits for hooks. */
async function lookForObjects(
  {action, cluster, controls, clock}: Execution,
  all: readonly KubernetesObject[],
  ended: AbortSignal,
): Promise<void> {
  if (!controls.appliedAwaited) return
  const objects = all.filter(isLasting)
  const areThere = async () =>
    (await cluster.live.exist(releaseNamespace(action.release), objects)) &&
    (await areServed(cluster.apiServer, objects))
  while (await clock.wait(LOOK_MILLISECONDS, ended)) {
    const exist = await areThere().catch(() => false)
    if (!exist || ended.aborted) continue
    controls.onApplied()
    return
  }
}

function overdueError({release, kind}: Execution['action'], cause: KkError, seconds: number): KkError {
  return new KkError('KK_HELM_FAILED', `${release}: helm ${kind} did not end within ${seconds} s`, {
    cause,
    hint: `find out what it waits for, or give it more time: kk.releases.${releaseName(release)}.timeout`,
    log: cause.log,
  })
}

const RUN_AGAIN = 'run the same command again: helm makes its hooks again'

/** A hook that is deleted is never complete: helm 4 waits for it until its time is over. */
function doomedError({release, kind}: Execution['action'], cause: KkError): KkError {
  return new KkError('KK_HELM_FAILED', `${release}: helm ${kind} was ended, for it waited in vain`, {
    cause,
    hint: RUN_AGAIN,
    log: cause.log,
  })
}

function unhooked({release, kind}: Execution['action'], causes: readonly Cause[]): KkError {
  const what = causes.map(describeCause).join('; ')
  return new KkError('KK_UNHEALTHY', `${release}: helm ${kind} ended well, but ${what}`, {
    hint:
      kind === 'remove'
        ? 'the release is gone, and helm does not make the hook again: do its work by hand'
        : RUN_AGAIN,
  })
}

/** Returns a failure of helm with the causes that its hooks show, and with their logs. */
async function withCauses(
  {action, cluster}: Execution,
  failure: KkError,
  hooks: HookWatch,
): Promise<KkError> {
  const namespace = releaseNamespace(action.release)
  const [causes, isGoing] = await Promise.all([
    hooks.blames(),
    cluster.live.isNamespaceGoing(namespace).catch(() => false),
  ])
  const {hint} = failure
  const going = isGoing ? [`the namespace ${namespace} is being deleted`] : []
  const reasons = [...going, ...causes.map(describeCause)]
  return new KkError('KK_HELM_FAILED', [failure.message, ...reasons].join('; '), {
    cause: failure,
    ...(hint === undefined ? {} : {hint}),
    log: [...failure.log, ...causes.flatMap(({log}) => log ?? [])],
  })
}

/** Kubernetes has nothing that would refuse the writes of who has lost a Lease. */
function lostUnderHelm({release, kind}: Execution['action'], lost: AbortSignal): KkError {
  const cause = asKkError(lost.reason)
  return new KkError(
    'KK_LEASE_LOST',
    `${cause.message}; helm ${kind} ran, and was ended. What it had sent to the cluster by then is not undone, and whoever holds ${releaseName(release)} now is not shielded from it`,
    {cause, hint: 'look at what it left with kk status, then run the same command again'},
  )
}

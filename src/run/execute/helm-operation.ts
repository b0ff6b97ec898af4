import {asKkError, KkError} from '../../base/errors.ts'
import type {OperationOptions} from '../../helm/helm.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import {NOT_SEEN} from '../../kubernetes/gate/evaluate.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {HookWatch} from '../../kubernetes/gate/health-checks.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import {type OperationVerb, operationEnvironment} from '../../kubernetes/lease/operation.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {isPermanent} from '../../kubernetes/objects/missing.ts'
import {isLeftBy} from '../../plan/pending/evidence.ts'
import {HOOK_EVENTS} from '../../plan/removal/hook-data.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import {type Execution, masking} from './execution.ts'
import {areServed} from './served-kinds.ts'

interface BeginOptions {
  readonly lease: HeldLease
  /** The objects of the release, including hooks, as far as they are known. */
  readonly objects: readonly KubernetesObject[]
  /** The timeout of the action as shown in messages, in seconds; defaults to the remaining time. */
  readonly timeoutSeconds?: number
  /**
   * Whether to ignore an abort of the run. Helm has no signal handler in rollback and uninstall: it would
   * exit at once and leave the release pending. The deadline and the loss of the Lease still end it.
   */
  readonly ignoresAbort?: boolean
}

/** A running helm operation: hooks, deadline and Lease are watched until it is disposed. */
interface HelmOperation extends AsyncDisposable {
  /** The options for starting helm. */
  readonly options: Required<Pick<OperationOptions, 'env' | 'onStarted' | 'signal' | 'timeoutSeconds'>>
  /**
   * Resolves with helm's result. Throws the reason if kk terminated helm, and the pod that caused it if helm
   * only reports "timed out".
   */
  result<T>(helm: Promise<T>): Promise<T>
  /**
   * Throws `KK_UNHEALTHY` if helm succeeded although a hook was not seen to complete: helm 3 takes a deleted
   * hook for a completed one. The record is then marked failed, with the hook, so that the next run makes
   * helm create it again.
   */
  expectHooks(): Promise<void>
}

/**
 * Prepares the start of helm: the operation is first written to the journal and the Lease, so that after a
 * crash of kk the next run can determine whether helm still runs, and that kk started it. Then watches the
 * hooks, the deadline and the Lease, and polls for the objects that other releases wait for. Throws
 * `KK_LEASE_LOST`.
 */
export async function beginOperation(
  execution: Execution<OperationVerb>,
  options: BeginOptions,
): Promise<HelmOperation> {
  const {action, clock, controls, deadline, journal, run, environment} = execution
  const {release, kind} = action
  const {lease} = options
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
    const watch = ending.use(await watchHelm(execution, options))
    return {
      options: {
        env: operationEnvironment(run, release),
        onStarted(pid) {
          void journal.note({type: 'helm-started', release, pid})
          // If this note is not written, helm is found by its environment.
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
 * Marks the record failed if helm has ended and left it unfinished. If that fails, the evidence in the Lease
 * stays. Call it while holding the Lease, with the error of the operation or of a later step.
 */
export async function failUnfinished(execution: Execution, lease: HeldLease, error: unknown): Promise<void> {
  // After a race, the other process may be working on the record.
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

/** The number of polls, 200 ms apart, for a process of an operation whose helm has ended. */
const MAX_PROCESS_POLLS = 10

async function markLeft(execution: Execution, lease: HeldLease): Promise<void> {
  const {action, cluster, controls, run} = execution
  const {release} = action
  const [record, view] = await Promise.all([cluster.records.last(release), cluster.leases.read(release)])
  const operation = view?.operation
  if (!record || operation?.run !== run || !isLeftBy(record, operation)) return
  if (await isHelmRunning(execution)) return lease.leave()
  if (record.status === 'uninstalling') {
    await lease.ended()
    return lease.leave()
  }
  await cluster.records.markFailed(record, `kk: helm ended and left it ${record.status} (run ${run})`)
  controls.onProgress('helm', `revision ${record.revision} was left ${record.status}: marked failed`)
}

/** Returns true if helm still runs, e.g. because only a wrapper of it was killed. */
async function isHelmRunning({action, cluster, clock}: Execution): Promise<boolean> {
  for (let poll = 1; poll <= MAX_PROCESS_POLLS; poll++) {
    const view = await cluster.leases.read(action.release)
    if (view?.processes.operation?.helm.state !== 'running') return false
    await clock.wait(200, new AbortController().signal)
  }
  return true
}

/** The poll interval for objects that other releases wait for. */
const OBJECTS_POLL_INTERVAL_MS = 1000

interface HelmWatch extends AsyncDisposable, Pick<HookWatch, 'incomplete'> {
  /** Ends helm: at the deadline, if the Lease is lost, or if the run is aborted. */
  readonly signal: AbortSignal
  /** Returns the reason for helm's failure. */
  explain(error: unknown): Promise<KkError>
}

async function watchHelm(execution: Execution<OperationVerb>, options: BeginOptions): Promise<HelmWatch> {
  const {action, clock, controls, deadline} = execution
  const {lease, ignoresAbort = false} = options
  const ended = new AbortController()
  const timedOut = new AbortController()
  const aborted = ignoresAbort ? new AbortController().signal : controls.signal
  const seconds = options.timeoutSeconds ?? Math.max(1, Math.ceil((deadline - clock.now()) / 1000))
  const stuck = new AbortController()
  const onDeleted = async () => {
    // Helm itself deletes a hook at its timeout, and exits then.
    if (!(await clock.wait(DELETED_HOOK_GRACE_MS, ended.signal))) return
    if (hooks.deleted().length > 0) stuck.abort()
  }
  const hooks = await watchHooks(execution, {objects: options.objects, signal: aborted, onDeleted})
  const late = clock.wait(deadline - clock.now(), ended.signal).then((isLate) => isLate && timedOut.abort())
  const looking = pollForObjects(execution, options.objects, ended.signal)

  return {
    signal: AbortSignal.any([aborted, lease.lost, timedOut.signal, stuck.signal]),
    async explain(error) {
      const failure = asKkError(error)
      if (lease.lost.aborted) return lostUnderHelm(action, lease.lost)
      if (aborted.aborted) return failure
      if (stuck.signal.aborted) return withCauses(execution, stuckError(action, failure), hooks)
      if (timedOut.signal.aborted) return withCauses(execution, timeoutError(action, failure, seconds), hooks)
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

/** The time in which helm may exit after an incomplete hook was deleted. */
const DELETED_HOOK_GRACE_MS = 5_000

interface WatchOptions {
  readonly objects: readonly KubernetesObject[]
  readonly signal: AbortSignal
  /** Called if a hook was deleted before it had completed. */
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

/**
 * Polls for the objects of a release. Its `applied` dependents may start while helm still waits for hooks.
 */
async function pollForObjects(
  {action, cluster, controls, clock}: Execution,
  all: readonly KubernetesObject[],
  ended: AbortSignal,
): Promise<void> {
  if (!controls.appliedAwaited) return
  const objects = all.filter(isPermanent)
  const doExist = async () =>
    (await cluster.live.exist(releaseNamespace(action.release), objects)) &&
    (await areServed(cluster.apiServer, objects))
  while (await clock.wait(OBJECTS_POLL_INTERVAL_MS, ended)) {
    const exist = await doExist().catch(() => false)
    if (!exist || ended.aborted) continue
    controls.onApplied()
    return
  }
}

function timeoutError({release, kind}: Execution['action'], cause: KkError, seconds: number): KkError {
  return new KkError('KK_HELM_FAILED', `${release}: helm ${kind} did not finish within ${seconds} s`, {
    cause,
    hint: `find out what it waits for, or give it more time: kk.releases.${releaseName(release)}.timeout`,
    log: cause.log,
  })
}

const RUN_AGAIN = 'run the same command again: helm creates its hooks again'

/** Returns the error for a deleted hook, which never completes: helm 4 waits for it until its timeout. */
function stuckError({release, kind}: Execution['action'], cause: KkError): KkError {
  return new KkError('KK_HELM_FAILED', `${release}: helm ${kind} was terminated because it waited in vain`, {
    cause,
    hint: RUN_AGAIN,
    log: cause.log,
  })
}

function unhooked({release, kind}: Execution['action'], causes: readonly Cause[]): KkError {
  const what = causes.map(describeCause).join('; ')
  return new KkError('KK_UNHEALTHY', `${release}: helm ${kind} succeeded, but ${what}`, {
    hint:
      kind === 'remove'
        ? 'the release is gone, and helm does not create the hook again: do its work manually'
        : RUN_AGAIN,
  })
}

/** Adds the causes that helm's hooks show to a failure, with their logs. */
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
  const terminating = isGoing ? [`the namespace ${namespace} is being deleted`] : []
  const reasons = [...terminating, ...causes.map(describeCause)]
  return new KkError('KK_HELM_FAILED', [failure.message, ...reasons].join('; '), {
    cause: failure,
    ...(hint === undefined ? {} : {hint}),
    log: [...failure.log, ...causes.flatMap(({log}) => log ?? [])],
  })
}

/**
 * Returns the error for a lost Lease. Kubernetes cannot block the writes of a process that has lost a Lease.
 */
function lostUnderHelm({release, kind}: Execution['action'], lost: AbortSignal): KkError {
  const cause = asKkError(lost.reason)
  return new KkError(
    'KK_LEASE_LOST',
    `${cause.message}; helm ${kind} was running, and was terminated. Its changes up to then are not undone, and may interfere with the current holder of ${releaseName(release)}`,
    {cause, hint: 'check the state with kk status, then run the same command again'},
  )
}

import {asKkError, KkError} from '../../base/errors.ts'
import {describeCause, redactHealth} from '../../kubernetes/gate/cause.ts'
import {unhealthy} from '../../kubernetes/gate/gate.ts'
import {type Cause, failureCauses, type PassedHealth} from '../../kubernetes/gate/health.ts'
import {isRolledByNode} from '../../kubernetes/gate/node-roll.ts'
import {OPERATION} from '../../kubernetes/lease/operation.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import {isPermanent} from '../../kubernetes/objects/missing.ts'
import {missingHookObjects, missingObjects} from '../../kubernetes/objects/missing-hooks.ts'
import type {ReleaseRecord, StoredRelease} from '../../kubernetes/records/release-record.ts'
import {
  GATED_LABEL,
  gateOf,
  hasPassed,
  isLeftBehind,
  LEFT_BEHIND_LABEL,
  readLabels,
  UNCHECKED_LABEL,
} from '../../plan/labels.ts'
import {isRechecked} from '../../plan/plan.ts'
import {unfinished} from '../../plan/refusals.ts'
import {redactor} from '../../redact/redact.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {ActionResult} from '../task.ts'
import {type Execution, masking} from './execution.ts'
import {releaseLease} from './lease.ts'
import {expectRevision, raced} from './races.ts'
import {type Rolled, rollHeldNodes, rollNodes} from './roll-nodes.ts'
import {awaitServed} from './served-kinds.ts'
import {whileCurrent} from './while-current.ts'

/** A revision that helm has deployed. */
export interface Deployed {
  readonly record: ReleaseRecord
  readonly objects: readonly KubernetesObject[]
  /** The deadline of its gate, in milliseconds since the epoch. */
  readonly deadline: number
  /** The hooks whose objects helm has deleted and may not have re-created; see `recreatedHooks`. */
  readonly recreated?: readonly KubernetesObject[] | undefined
}

/**
 * Waits until the release that helm has just deployed is healthy, and marks its record. Throws
 * `KK_UNHEALTHY`, `KK_RACED`.
 */
export async function passGate(initial: Execution, deployed: Deployed): Promise<ActionResult> {
  const execution = {...initial, deadline: deployed.deadline}
  const {revision} = deployed.record
  await awaitServed(execution, deployed.objects)
  execution.controls.onHelmEnded()
  const health = await awaitHealth(execution, {objects: deployed.objects, revision, hasPassed: false})
  const {action, cluster} = execution
  const {recreated = []} = deployed
  const namespace = releaseNamespace(action.release)
  const missingObjectsNow = await missingObjects(cluster.live, namespace, recreated, ({isGoing}) => !isGoing)
  const marked = await mark(execution, deployed.record, leavesNodes(health, deployed.objects))
  return {...marked, ...noted(withGone(health, missingObjectsNow))}
}

function withGone(health: PassedHealth, gone: readonly KubernetesObject[]): PassedHealth {
  if (gone.length === 0) return health
  const notes = gone.map((object) => ({object: objectName(object), message: GONE}))
  return {state: 'partial', notes: [...(health.notes ?? []), ...notes]}
}

const GONE = 'is gone, though a hook made it: what uses it does not find it'

/**
 * Waits until a revision of an earlier run is healthy, and marks its record; a revision with the mark passes
 * at once. Removes the Lease and the reservations that the earlier run left. Throws `KK_NOT_INSTALLED`,
 * `KK_PENDING`, `KK_UNHEALTHY`, `KK_RACED`.
 */
export async function passGateOfEarlierRun(execution: Execution<'await'>): Promise<ActionResult> {
  const stored = await plannedRevision(execution)
  await removeLeftovers(execution).catch(() => undefined)
  const isDone = hasPassed(stored) && !isLeftBehind(stored)
  return isDone ? {revision: stored.revision} : markHealthy(execution, stored)
}

/**
 * Waits until a revision whose labels were changed is healthy, and marks its record. A revision with the mark
 * passes at once, unless a requirement changes in this run. Throws `KK_NOT_INSTALLED`, `KK_PENDING`,
 * `KK_UNHEALTHY`, `KK_RACED`.
 */
export async function passGateOfRelabelled(execution: Execution<'relabel'>): Promise<ActionResult> {
  const stored = await plannedRevision(execution)
  const mayPass = !execution.action.recheck && hasPassed(stored)
  return mayPass ? {revision: stored.revision} : markHealthy(execution, stored)
}

/**
 * Waits until a release that this run does not change is healthy at its current revision, whatever its mark.
 * Throws `KK_NOT_INSTALLED`, `KK_PENDING`, `KK_UNHEALTHY`, `KK_RACED`.
 */
export async function checkGate(execution: Execution<'check'>): Promise<ActionResult> {
  const {action, cluster} = execution
  const stored = await cluster.records.stored(action.release)
  expectInstalled(action.release, stored)
  const health = await awaitHealthOfRecord(execution, stored)
  // It was not compared with the desired release: a mark would let it pass as unchanged.
  return {revision: stored.revision, ...noted(health)}
}

/**
 * Returns helm's record of the release, deployed at the revision that the plan saw. Throws `KK_RACED`,
 * `KK_NOT_INSTALLED`, `KK_PENDING`, `KK_UNHEALTHY`.
 */
export async function plannedRevision({action, cluster}: Execution): Promise<StoredRelease> {
  const {release} = action
  const stored = await cluster.records.stored(release)
  expectRevision(action, stored)
  expectInstalled(release, stored)
  return stored
}

async function markHealthy(execution: Execution, stored: StoredRelease): Promise<ActionResult> {
  const health = await awaitHealthOfRecord(execution, stored)
  const missingHooks = await missingHookObjects(execution.cluster.live, stored)
  const marked = await mark(execution, stored, leavesNodes(health, parseManifest(stored.manifest)))
  return {...marked, ...noted(withGone(health, missingHooks))}
}

/** Whether pods that kk replaces node by node are still of an older version. */
function leavesNodes({notes = []}: PassedHealth, objects: readonly KubernetesObject[]): boolean {
  const rolled = new Set(objects.filter(isRolledByNode).map(objectName))
  return notes.some(
    ({object, reason, leftBehind = []}) =>
      rolled.has(object) && (reason === 'OnDelete' || leftBehind.some(({isCurrent}) => !isCurrent)),
  )
}

/** Waits until the objects of a record, which may have existed before this run, are healthy. */
async function awaitHealthOfRecord(execution: Execution, stored: StoredRelease): Promise<PassedHealth> {
  const {action, cluster, controls} = execution
  const objects = parseManifest(stored.manifest)
  const lasting = objects.filter(isPermanent)
  const exist =
    !controls.appliedAwaited || (await cluster.live.exist(releaseNamespace(action.release), lasting))
  if (exist) controls.onHelmEnded()
  // What was deployed before this run is known by its record.
  const {redact: own = (text) => text} = execution
  const recorded = redactor(stored.values)
  const redact = (text: string) => recorded(own(text))
  const {revision} = stored
  // If kk does not await the release, it cannot know how a deleted Job has ended.
  const isKnown = gateOf(stored) !== 'not-passed'
  return awaitHealth({...execution, redact}, {objects, revision, hasPassed: isKnown})
}

/**
 * Removes what a killed run has left after its helm had ended: its Lease, for which other runs would wait,
 * and its reservations, which forbid removals. A Lease whose holder is alive is kept; what cannot be removed
 * expires.
 */
async function removeLeftovers({action, cluster, holder}: Execution): Promise<void> {
  const {release} = action
  if (!(await cluster.leases.read(release))) return
  const lease = await cluster.leases.hold(release, holder, 0)
  try {
    await cluster.reservations.withdraw(release)
    // The start of helm is no longer evidence of a running operation: the record is deployed.
    await lease.annotate({[OPERATION]: null})
  } finally {
    await releaseLease(lease)
  }
}

function noted(health: PassedHealth): Pick<ActionResult, 'health'> {
  return health.notes ? {health} : {}
}

/** The objects that must become healthy. */
interface Expected {
  readonly objects: readonly KubernetesObject[]
  readonly revision: number
  /** As in `GateOptions`. */
  readonly hasPassed: boolean
}

async function awaitHealth(
  execution: Execution,
  {objects, revision, hasPassed}: Expected,
): Promise<PassedHealth> {
  const {action, cluster, controls, journal, unavailable} = execution
  await using current = whileCurrent(execution, revision)
  // A check changes nothing.
  const isRolled = action.kind !== 'check'
  const {behind, deadline}: Rolled = isRolled ? await rollNodes(execution, objects) : execution
  if (behind && !controls.signal.aborted) throw await leftBehind(execution, objects, behind)
  controls.onProgress('gate', 'waiting for health')
  const ended = new AbortController()
  const signal = AbortSignal.any([current.signal, ended.signal])
  const passed = cluster.health.gate({
    namespace: releaseNamespace(action.release),
    objects,
    deadline,
    hasPassed,
    unavailable,
    signal: current.signal,
    onProgress: (causes) => {
      current.noteCauses(causes)
      if (causes[0]) controls.onProgress('gate', describeCause(causes[0]), causes)
    },
    redact: masking(execution),
  })
  const rolled = isRolled ? rollHeldNodes(execution, objects, signal) : undefined
  const health = await passed
    .catch(async (error: unknown) => {
      throw await current.explain(error)
    })
    .finally(() => {
      ended.abort()
      return rolled
    })
  await journal.note({type: 'gate-passed', release: action.release, revision})
  return health
}

/**
 * Returns the error of a release whose timeout expired before its pods were replaced, with the pods that are
 * not ready.
 */
async function leftBehind(
  execution: Execution,
  objects: readonly KubernetesObject[],
  behind: Cause,
): Promise<KkError> {
  const namespace = releaseNamespace(execution.action.release)
  const health = await execution.cluster.health.of(namespace, objects, {hasPassed: true})
  const redacted = redactHealth(health, masking(execution))
  return unhealthy([...failureCauses(redacted), behind], 'not healthy in time')
}

/**
 * Marks a record, only if it is this environment's and still has the observed revision. The same write notes
 * that its dependents must still be checked, because kk may be killed before that.
 */
async function mark(
  execution: Execution,
  {revision, secret}: ReleaseRecord,
  isLeft: boolean,
): Promise<{readonly revision: number}> {
  const {action, cluster, environment} = execution
  for (let attempt = 1; ; attempt++) {
    const record = await cluster.records.last(action.release, revision)
    const isOwn = record !== undefined && readLabels(record.labels)?.owner === environment
    if (record?.revision !== revision || record.secret.uid !== secret.uid)
      throw raced(action.release, `revision ${revision} was replaced while its gate was awaited`)
    const text = String(revision)
    const wasLeft = isLeftBehind(record)
    const labels = {
      [GATED_LABEL]: text,
      ...(isRechecked(action) && {[UNCHECKED_LABEL]: text}),
      ...(isLeft !== wasLeft && {[LEFT_BEHIND_LABEL]: isLeft ? text : null}),
    }
    if (!isOwn || (hasPassed(record) && isLeft === wasLeft)) return {revision}
    try {
      await cluster.records.label(record, labels)
      return {revision}
    } catch (error) {
      // Another run may have marked the same revision in between.
      if (asKkError(error).code !== 'KK_RACED' || attempt === MAX_MARK_ATTEMPTS) throw error
    }
  }
}

/** The maximum number of attempts to mark a record, if others write it concurrently. */
const MAX_MARK_ATTEMPTS = 5

/** Throws `KK_NOT_INSTALLED`, `KK_PENDING`, `KK_UNHEALTHY` unless there is a deployed revision. */
function expectInstalled(
  release: ReleaseId,
  stored: StoredRelease | undefined,
): asserts stored is StoredRelease {
  if (!stored) {
    throw new KkError('KK_NOT_INSTALLED', `${release} is no longer installed`, {
      hint: 'run the same command again: kk checks the cluster first',
    })
  }
  const refusal = unfinished(stored)
  if (refusal) throw refusal
  if (stored.status === 'deployed') return
  throw new KkError(
    'KK_UNHEALTHY',
    `${release}: its last revision, ${stored.revision}, is ${stored.status}`,
    {
      hint: `deploy ${releaseName(release)} first, with the environment that owns it`,
    },
  )
}

import {asKkError, KkError} from '../base/errors.ts'
import type {Environment} from '../environment/environment.ts'
import {NAMESPACES} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {digest} from '../plan/digest.ts'
import type {Plan} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import {NO_RUN} from '../run/run-state.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../run/task.ts'
import {planDestroy} from '../verbs/removal/destroy.ts'
import type {PlannedRemoval} from '../verbs/removal/planned.ts'
import {type ClusterConnection, whileClaimed} from './cluster-connections.ts'
import type {ObservedReleases, Unwanted} from './condition-inputs.ts'
import {CRDS, crdName} from './crds/crd.ts'
import {
  CONFIRM_REMOVE,
  ENVIRONMENT,
  ENVIRONMENTS,
  type EnvironmentObject,
  REMOVAL_FINALIZER,
} from './crds/environment.ts'
import {isTransient, planDigest, requestedRetry} from './decision.ts'
import {followRun} from './follow-run.ts'
import type {ReconcileContext} from './reconcile-context.ts'
import {readSource} from './source.ts'

interface PlannedUnwantedRemoval extends Unwanted {
  /** Undefined if their users cannot be determined. */
  readonly planned: PlannedRemoval | undefined
}

/**
 * Finds releases that are no longer in the file, and plans the removal of those that are unused and not
 * protected.
 */
export async function planUnwanted(
  {bystanders}: Plan,
  environment: Environment,
  {cluster, readUses}: Pick<ClusterConnection, 'cluster' | 'readUses'>,
): Promise<PlannedUnwantedRemoval | undefined> {
  const unwanted = bystanders.filter(({state}) => state === 'no-longer-wanted').map(({release}) => release)
  if (unwanted.length === 0) return undefined
  try {
    const destroyContext = {environment, cluster, readUses, ignored: new Set<string>()}
    const planned = await planDestroy(destroyContext, [], new Set(unwanted))
    const {actions, bystanders: staying} = planned.plan
    // An approval is valid for the installed records only: a release that is installed again has another
    // record.
    const records = actions.map(({release}) => planned.uses.observed.get(release)?.record.secret.uid)
    return {
      digest: digest({plan: planDigest(planned.plan), records}),
      releases: actions.map(({release}) => release),
      kept: staying.map(({release, note}) => `${release}: ${note}`),
      planned,
    }
  } catch (error) {
    const {exit, message} = asKkError(error)
    if (exit !== 3) throw error
    return {
      digest: '',
      releases: [],
      kept: unwanted.map((release) => `${release}: ${message}`),
      planned: undefined,
    }
  }
}

interface RemovalContext {
  readonly environment: EnvironmentObject
  readonly connection: ClusterConnection
  readonly context: ReconcileContext
}

/** Removes the unwanted releases if their digest is approved. Returns whether a removal was run. */
export async function removeApproved(
  {planned, digest: unwanted}: PlannedUnwantedRemoval,
  seen: ObservedReleases,
  {environment: {metadata, spec, status = {}}, connection, context}: RemovalContext,
): Promise<boolean> {
  if (!planned || planned.plan.actions.length === 0 || spec.approval?.plan !== unwanted) return false
  const retried = requestedRetry(metadata)
  if (status.failed?.inputs === unwanted && (retried === undefined || retried === status.retried))
    return false
  const {statusWriter} = context
  await statusWriter.write({kind: 'removing', ...seen, run: NO_RUN}, {retried})
  const {run, failure} = await runRemoval(planned, {connection, context}, (state) =>
    statusWriter.writeDebounced({kind: 'removing', ...seen, run: state}),
  )
  const failed = failure === undefined ? undefined : {inputs: unwanted, message: failure}
  await statusWriter.write({kind: 'removing', ...seen, run}, {failed, run: run.run})
  return true
}

/** Runs the removal of releases; their data is kept. */
function runRemoval(
  planned: PlannedRemoval,
  {
    connection: {cluster, helm},
    context: {interruption, heartbeat},
  }: Pick<RemovalContext, 'connection' | 'context'>,
  onState: Parameters<typeof followRun>[1]['onState'],
) {
  const names: readonly ReleaseId[] = planned.plan.actions.map(({release}) => release)
  const run = planned.run({
    ...{concurrency: undefined, failFast: false, noWait: false, interruption, isOperator: true},
    account: {verb: 'remove', scope: {names, install: false}},
    ports: {cluster, helm},
    claims: [],
    onStays: () => undefined,
  })
  return followRun(run, {interruption, heartbeat, longestActionMs: DEFAULT_TIMEOUT_SECONDS * 1000, onState})
}

/**
 * Adds the finalizer if the deletion policy is `RemoveUnshared`, else removes it. So a deletion removes
 * releases only under a policy that the operator observed before.
 */
export async function syncFinalizer(
  {metadata, spec}: EnvironmentObject,
  objects: Pick<Objects, 'merge'>,
): Promise<void> {
  const isWanted = spec.deletionPolicy === 'RemoveUnshared'
  const {finalizers = []} = metadata
  if (isWanted !== finalizers.includes(REMOVAL_FINALIZER)) await setFinalizer(metadata, isWanted, objects)
}

async function setFinalizer(
  {name, resourceVersion, finalizers = []}: EnvironmentObject['metadata'],
  isWanted: boolean,
  objects: Pick<Objects, 'merge'>,
): Promise<void> {
  const foreign = finalizers.filter((each) => each !== REMOVAL_FINALIZER)
  const desired = isWanted ? [...foreign, REMOVAL_FINALIZER] : foreign
  await objects.merge(
    ENVIRONMENTS,
    {namespace: KK_NAMESPACE, name},
    {
      metadata: {resourceVersion, finalizers: desired},
    },
  )
}

/** The finalizer is removed this long after the deletion, even if releases could not be removed. */
const MAX_REMOVAL_MS = 3_600_000

/** The outcome for the releases of a deleted Environment, as the content of an Event. */
interface FinalizeResult {
  readonly type: 'Normal' | 'Warning'
  readonly reason: 'Orphaned' | 'Removed'
  readonly message: string
}

/**
 * Finalizes an Environment that is being deleted: removes its releases if the policy says so and the deletion
 * is confirmed, else orphans them, and removes the finalizer. Throws transient failures within an hour after
 * the deletion.
 */
export async function finalize(
  finalizing: FinalizeContext,
  now: number,
): Promise<FinalizeResult | undefined> {
  const {metadata} = finalizing.environment
  if (!metadata.finalizers?.includes(REMOVAL_FINALIZER)) return undefined
  const result = await removeOrOrphan(finalizing, now)
  await setFinalizer(metadata, false, finalizing.context.hub)
  return result
}

/** Without a connection: it is opened only if releases are to be removed. */
type FinalizeContext = Omit<RemovalContext, 'connection'>

async function removeOrOrphan({environment, context}: FinalizeContext, now: number): Promise<FinalizeResult> {
  const isLate = Date.parse(environment.metadata.deletionTimestamp ?? '') + MAX_REMOVAL_MS < now
  try {
    const why = isLate ? 'an hour was not enough' : await reasonToOrphan(environment, context.hub)
    if (why !== undefined) return orphaned(why)
    const connection = await context.connect()
    // Releases that another operator manages by now are not removed.
    return await whileClaimed(environment, connection, () => removeAll({environment, context, connection}))
  } catch (caught) {
    const error = asKkError(caught)
    const canRetry = isTransient(error.code) || (error.exit !== 2 && error.exit !== 3)
    if (canRetry && !isLate) throw caught
    return orphaned(error.message)
  }
}

function orphaned(why: string): FinalizeResult {
  return {type: 'Warning', reason: 'Orphaned', message: `its releases stay as they are: ${why}`}
}

/** Returns why a deletion orphans the releases; undefined if it removes them. */
async function reasonToOrphan(
  {metadata: {uid, annotations}, spec}: EnvironmentObject,
  objects: Pick<Objects, 'read'>,
): Promise<string | undefined> {
  if (spec.deletionPolicy !== 'RemoveUnshared') return 'its deletionPolicy is Orphan'
  if (spec.suspend) return 'it is suspended'
  if (uid === undefined || annotations?.[CONFIRM_REMOVE] !== uid)
    return `the annotation ${CONFIRM_REMOVE} is not its UID`
  // A deletion of the namespace or of the CRD may not intend to delete the releases.
  const definition = crdName(ENVIRONMENT)
  const owners = await Promise.all([
    objects.read<EnvironmentObject>(NAMESPACES, {namespace: '', name: KK_NAMESPACE}),
    objects.read<EnvironmentObject>(CRDS, {namespace: '', name: definition}),
  ])
  const isDeleted = owners.some((each) => each === undefined || each.metadata.deletionTimestamp !== undefined)
  return isDeleted ? `${KK_NAMESPACE}, or the CRD ${definition}, is being deleted` : undefined
}

/** Removes the releases that nothing else uses and that are not protected, dependents first. */
async function removeAll(removing: RemovalContext): Promise<FinalizeResult> {
  const {environment, connection, context} = removing
  const {cluster, readUses} = connection
  const supplied = await connection.open(
    environment.metadata.name,
    await readSource(environment, context.hub),
  )
  const destroyContext = {
    environment: supplied.planned.environment,
    ...{cluster, readUses},
    ignored: new Set<string>(),
  }
  const planned = await planDestroy(destroyContext, [])
  const {actions, bystanders} = planned.plan
  if (actions.length > 0) {
    const {run, failure} = await runRemoval(planned, removing, () => undefined)
    if (failure !== undefined) return orphaned(failure)
    if (run.finished?.outcome !== 'succeeded')
      throw new KkError('KK_INTERRUPTED', 'the removal was interrupted; the next reconciliation resumes it')
  }
  const remaining = bystanders.map(({release, note}) => `${release} stays: ${note}`)
  const removed = `removed ${actions.map(({release}) => release).join(', ') || 'nothing'}`
  return {type: 'Normal', reason: 'Removed', message: [removed, ...remaining].join('; ')}
}

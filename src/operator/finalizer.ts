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
  /** Undefined where who uses them cannot be known. */
  readonly planned: PlannedRemoval | undefined
}

/** Finds what the file names no more, and what of it may go: what nothing that stays uses, and nothing protected. */
export async function planUnwanted(
  {bystanders}: Plan,
  environment: Environment,
  {cluster, readUses}: Pick<ClusterConnection, 'cluster' | 'readUses'>,
): Promise<PlannedUnwantedRemoval | undefined> {
  const left = bystanders.filter(({state}) => state === 'no-longer-wanted').map(({release}) => release)
  if (left.length === 0) return undefined
  try {
    const destroyContext = {environment, cluster, readUses, excused: new Set<string>()}
    const planned = await planDestroy(destroyContext, [], new Set(left))
    const {actions, bystanders: staying} = planned.plan
    // An approval is of what is there now: what is installed again later has another record, by whatever inputs.
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
      kept: left.map((release) => `${release}: ${message}`),
      planned: undefined,
    }
  }
}

interface RemovalContext {
  readonly environment: EnvironmentObject
  readonly connection: ClusterConnection
  readonly context: ReconcileContext
}

/** Removes what the file names no more, if exactly that is approved. Returns whether it did anything. */
export async function removeApproved(
  {planned, digest: made}: PlannedUnwantedRemoval,
  seen: ObservedReleases,
  {environment: {metadata, spec, status = {}}, connection, context}: RemovalContext,
): Promise<boolean> {
  if (!planned || planned.plan.actions.length === 0 || spec.approval?.plan !== made) return false
  const retried = requestedRetry(metadata)
  if (status.failed?.inputs === made && (retried === undefined || retried === status.retried)) return false
  const {statusWriter} = context
  await statusWriter.write({kind: 'removing', ...seen, run: NO_RUN}, {retried})
  const {run, failure} = await runRemoval(planned, {connection, context}, (state) =>
    statusWriter.writeDebounced({kind: 'removing', ...seen, run: state}),
  )
  const failed = failure === undefined ? undefined : {inputs: made, message: failure}
  await statusWriter.write({kind: 'removing', ...seen, run}, {failed, run: run.run})
  return true
}

/** Removes releases, and leaves their data. */
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
 * Lets an Environment wait for its releases where its deletion is to remove them, and no other: so a deletion is obeyed
 * only under a policy that the operator has seen before.
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
  const others = finalizers.filter((each) => each !== REMOVAL_FINALIZER)
  const wanted = isWanted ? [...others, REMOVAL_FINALIZER] : others
  await objects.merge(
    ENVIRONMENTS,
    {namespace: KK_NAMESPACE, name},
    {
      metadata: {resourceVersion, finalizers: wanted},
    },
  )
}

/** So long after its deletion an Environment is let go, whatever of it could not be removed; in milliseconds. */
const MAX_REMOVAL_MS = 3_600_000

/** What became of the releases of an Environment that was deleted. */
interface FinalizeResult {
  readonly type: 'Normal' | 'Warning'
  readonly reason: 'Orphaned' | 'Removed'
  readonly message: string
}

/**
 * Lets an Environment go that is being deleted: removes its releases where that was meant and confirmed, and leaves them
 * in every other case. Throws what may pass by itself, for an hour.
 */
export async function finalize(leaving: FinalizeContext, now: number): Promise<FinalizeResult | undefined> {
  const {metadata} = leaving.environment
  if (!metadata.finalizers?.includes(REMOVAL_FINALIZER)) return undefined
  const left = await removeOrOrphan(leaving, now)
  await setFinalizer(metadata, false, leaving.context.hub)
  return left
}

/** The cluster of the releases is asked for only where something is to be removed there. */
type FinalizeContext = Omit<RemovalContext, 'connection'>

async function removeOrOrphan({environment, context}: FinalizeContext, now: number): Promise<FinalizeResult> {
  const isLate = Date.parse(environment.metadata.deletionTimestamp ?? '') + MAX_REMOVAL_MS < now
  try {
    const why = isLate ? 'an hour was not enough' : await reasonToOrphan(environment, context.hub)
    if (why !== undefined) return orphaned(why)
    const connection = await context.connect()
    // What another operator drives by now is not this one's to remove.
    return await whileClaimed(environment, connection, () => removeAll({environment, context, connection}))
  } catch (caught) {
    const error = asKkError(caught)
    const mayPass = isTransient(error.code) || (error.exit !== 2 && error.exit !== 3)
    if (mayPass && !isLate) throw caught
    return orphaned(error.message)
  }
}

function orphaned(why: string): FinalizeResult {
  return {type: 'Warning', reason: 'Orphaned', message: `its releases stay as they are: ${why}`}
}

/** Returns why a deletion is no order to remove anything; undefined if it is. */
async function reasonToOrphan(
  {metadata: {uid, annotations}, spec}: EnvironmentObject,
  objects: Pick<Objects, 'read'>,
): Promise<string | undefined> {
  if (spec.deletionPolicy !== 'RemoveUnshared') return 'its deletionPolicy is Orphan'
  if (spec.suspend) return 'it is suspended'
  if (uid === undefined || annotations?.[CONFIRM_REMOVE] !== uid)
    return `the annotation ${CONFIRM_REMOVE} is not its UID`
  // Whoever deletes a namespace, or a kind, may not know what goes with it.
  const definition = crdName(ENVIRONMENT)
  const around = await Promise.all([
    objects.read<EnvironmentObject>(NAMESPACES, {namespace: '', name: KK_NAMESPACE}),
    objects.read<EnvironmentObject>(CRDS, {namespace: '', name: definition}),
  ])
  const isGoing = around.some((each) => each === undefined || each.metadata.deletionTimestamp !== undefined)
  return isGoing ? `${KK_NAMESPACE}, or the kind ${ENVIRONMENT.kind}, is being deleted` : undefined
}

/** Removes what nobody else uses and what is not protected, dependents first. */
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
    excused: new Set<string>(),
  }
  const planned = await planDestroy(destroyContext, [])
  const {actions, bystanders} = planned.plan
  if (actions.length > 0) {
    const {run, failure} = await runRemoval(planned, removing, () => undefined)
    if (failure !== undefined) return orphaned(failure)
    if (run.finished?.outcome !== 'succeeded')
      throw new KkError('KK_INTERRUPTED', 'the removal was interrupted; the next pass goes on with it')
  }
  const kept = bystanders.map(({release, note}) => `${release} stays: ${note}`)
  const gone = `removed ${actions.map(({release}) => release).join(', ') || 'nothing'}`
  return {type: 'Normal', reason: 'Removed', message: [gone, ...kept].join('; ')}
}

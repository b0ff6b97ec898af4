import {KkError} from '../../base/errors.ts'
import type {ChangedRelease} from '../../helm/helm.ts'
import type {Validation} from '../../kubernetes/dry-run/dry-runs.ts'
import {expectWebhooksAnswer} from '../../kubernetes/dry-run/unanswered-webhooks.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import {withoutHooks} from '../../kubernetes/manifest/helm-view.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {runLabels} from '../../plan/installation.ts'
import {labelChanges, labelsOf, readLabels} from '../../plan/labels.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {ChartWork} from '../task.ts'
import {type Execution, masking} from './execution.ts'
import {beginOperation, failUnfinished} from './helm-operation.ts'
import {keepDropped} from './keep-dropped.ts'
import {takeLease} from './lease.ts'
import {writeLists} from './mixed-lists.ts'
import type {Deployed} from './pass-gate.ts'
import {expectDeployed, raced, workableRecord} from './races.ts'
import {reserve} from './reservations.ts'

/**
 * Installs or upgrades a release under its Lease. Reads the last revision again before helm starts and after
 * it has ended: interference by plain helm, which ignores Leases, is reported as `KK_RACED`. If an equal run
 * has made the revision in the meantime, it is not made again. The Lease is released before the gate.
 */
export async function change(initial: Execution<'install' | 'upgrade'>, work: ChartWork): Promise<Deployed> {
  const {action, cluster} = initial
  const {release} = action
  const revision = action.revision + 1
  await using taken = await takeLease(initial)
  const {lease, deadline} = taken
  const execution = {...initial, deadline}
  const last = await cluster.records.last(release, action.revision)
  const equal = last && (await madeByAnother(execution, last))
  if (equal) return equal
  const before = await workableRecord(execution, last)
  await validate(execution, {work, before})
  if (before) await clearFailedJobs(execution, work)
  await keepDropped(execution, work.dropped, work.shared)
  if (before?.status === 'failed' && action.kind === 'install') await removeFields(execution, before, work)
  try {
    const changed = await callHelm(execution, work, {lease, before})
    if (changed.revision !== revision) {
      throw raced(release, `expected revision ${revision} from helm, but it made ${changed.revision}`)
    }
    const record = expectDeployed(release, await cluster.records.last(release, revision), revision)
    await writeLists(execution, work.mixed)
    return {record, objects: parseManifest(changed.manifest), deadline}
  } catch (error) {
    await failUnfinished(execution, lease, error)
    throw error
  }
}

/**
 * Returns what another run of this environment has deployed since the plan was made, if it made the same
 * revision from the same inputs: two equal concurrent runs have the same result.
 */
async function madeByAnother(
  {action, cluster, environment, controls, deadline}: Execution<'install' | 'upgrade'>,
  last: ReleaseRecord,
): Promise<Deployed | undefined> {
  const {owner, inputs, revision, run, exportedTo} = readLabels(last.labels) ?? {}
  const isNext = last.revision === action.revision + 1 && revision === last.revision
  const isEqual = owner === environment && inputs === action.inputs && exportedTo === undefined
  if (!isNext || !isEqual || last.status !== 'deployed') return undefined
  const stored = await cluster.records.stored(action.release, last.revision)
  if (!stored) return undefined
  controls.onProgress('helm', `run ${run} has made revision ${revision} of the same inputs`)
  return {record: last, objects: parseManifest(stored.manifest), deadline}
}

/**
 * Deletes failed Jobs. Helm does not replace a failed Job of the same name, and the gate would fail at once.
 */
async function clearFailedJobs({action, cluster, controls}: Execution, work: ChartWork): Promise<void> {
  const deleted = await cluster.health.deleteFailedJobs(releaseNamespace(action.release), work.objects)
  if (deleted.length > 0) controls.onProgress('helm', `failed, and run again: ${deleted.join(', ')}`)
}

/**
 * Removes fields that a failed install has left and that its chart no longer renders: helm 3, which installs
 * over it, compares with no previous manifest and would leave them.
 */
async function removeFields(
  execution: Execution,
  {release, revision}: ReleaseRecord,
  {objects}: ChartWork,
): Promise<void> {
  const {cluster, helm} = execution
  const stored = helm.version.major === 3 ? await cluster.records.stored(release, revision) : undefined
  if (!stored) return
  const namespace = releaseNamespace(release)
  const before = parseManifest(stored.manifest)
  const written = {namespace, objects: withoutHooks(objects), method: 'client-side'} as const
  await cluster.live.correct({...written, before, redact: masking(execution)})
}

interface Validated {
  readonly work: ChartWork
  readonly before: ReleaseRecord | undefined
}

/**
 * Validates the objects whose namespace or kind did not exist when the plan was validated. A missing
 * namespace is created first: helm would create it anyway, and nothing can be validated without it.
 */
async function validate(
  {action, cluster, helm, controls, ...masks}: Execution,
  {work, before}: Validated,
): Promise<void> {
  if (work.unvalidated.length === 0) return
  const namespace = releaseNamespace(action.release)
  controls.onProgress('validate', `validating ${work.unvalidated.length} objects`)
  const method = helm.version.major === 4 ? 'server-side' : 'client-side'
  const writes = {method, force: true, before: []} as const
  const request = {namespace, objects: work.unvalidated, writes, redact: masking(masks)}
  const validations = await cluster.dryRuns.validate(request)
  const isHomeless = validations.some(
    (each) => each.outcome === 'known-after-apply' && each.missing === 'namespace',
  )
  // Another object may be missing, e.g. the Role of a binding, which the release itself contains.
  if (before || !isHomeless || (await cluster.live.hasNamespace(namespace)))
    return expectAccepted(action.release, validations)
  await cluster.live.makeNamespace(namespace)
  expectAccepted(action.release, await cluster.dryRuns.validate(request))
}

interface UnderLease {
  readonly lease: HeldLease
  readonly before: ReleaseRecord | undefined
}

async function callHelm(
  execution: Execution<'install' | 'upgrade'>,
  work: ChartWork,
  {lease, before}: UnderLease,
): Promise<ChangedRelease> {
  const {action, cluster, helm, controls, mask} = execution
  await using _reservations = await reserve(execution, {
    requirements: work.desired.requirements,
    before,
  })
  const call = {
    name: releaseName(action.release),
    namespace: releaseNamespace(action.release),
    chart: work.chart,
    values: work.values,
    mask,
  }
  const labels = {
    ...labelsOf(work.desired, action.revision + 1),
    ...runLabels(before, execution.run),
  }
  // Helm would create an existing namespace again, which fails without the permission to create namespaces.
  const createNamespace = !before && !(await cluster.live.hasNamespace(call.namespace))
  controls.onProgress('helm', `helm ${action.kind}`)
  const {objects, timeoutSeconds} = work
  await using operation = await beginOperation(execution, {lease, objects, timeoutSeconds})
  const {options} = operation
  const started =
    before && action.kind === 'upgrade'
      ? helm.upgrade(call, {...options, labels: labelChanges(labels, before.labels)})
      : helm.install(call, {...options, labels, createNamespace, ...(before && {replace: true})})
  const changed = await operation.result(started)
  await operation.expectHooks()
  return changed
}

/** Throws `KK_INVALID_OBJECT` with every object that the API server would not accept, and `KK_WEBHOOK`. */
function expectAccepted(release: ReleaseId, validations: readonly Validation[]): void {
  expectWebhooksAnswer(validations)
  const refused = validations.filter((validation) => validation.outcome === 'refused')
  if (refused.length === 0) return
  const lines = refused.map(({object, message}) => `  ${object}: ${message}`)
  const objects = refused.length === 1 ? 'an object' : `${refused.length} objects`
  throw new KkError(
    'KK_INVALID_OBJECT',
    [`${release}: the cluster would not accept ${objects} of its chart`, ...lines].join('\n'),
    {hint: 'correct the values or the chart; nothing of this release was changed'},
  )
}

import {isDeepStrictEqual} from 'node:util'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {hookObjects, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import {lastDeployed} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../../kubernetes/records/release-record.ts'
import {runLabels} from '../../plan/installation.ts'
import {EXPORTED_LABEL, GATED_LABEL, REVISION_LABEL} from '../../plan/labels.ts'
import {droppedHolders, droppedObjects} from '../../plan/leftovers/dropped.ts'
import {judgedLeftover} from '../../plan/leftovers/ownership.ts'
import {recreatedHooks, replacedByHooks} from '../../plan/leftovers/replaced-by-hooks.ts'
import {pruned} from '../../plan/rollback/refusals.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {redactor} from '../../redact/redact.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'
import {beginOperation, failUnfinished} from './helm-operation.ts'
import {keepDropped} from './keep-dropped.ts'
import {takeLease} from './lease.ts'
import {mixedLists, writeLists} from './mixed-lists.ts'
import type {Deployed} from './pass-gate.ts'
import {deleteNoted} from './prune.ts'
import {expectDeployed, workableRecord} from './races.ts'
import {reserve} from './reservations.ts'

/** A rolled back revision, with a function that masks the secrets of both revisions. */
export interface RolledBack extends Deployed {
  readonly redact: (text: string) => string
}

/**
 * Rolls a release back to an earlier revision, which helm copies to a new one, including its labels; then
 * corrects the labels. Reads the last revision again before helm starts and after it has ended. Throws
 * `KK_PRUNED` if helm has dropped the revision in the meantime, `KK_RACED`, `KK_PENDING`, `KK_HELD` and
 * helm's errors.
 */
export async function rollback(initial: Execution<'rollback'>): Promise<RolledBack> {
  const {action, cluster, controls} = initial
  const {release, target} = action
  await using taken = await takeLease(initial)
  const {lease, deadline} = taken
  const execution = {...initial, deadline}
  const last = await cluster.records.stored(release)
  await workableRecord(execution, last)
  const stored = await cluster.records.stored(release, target)
  if (!last || !stored) throw pruned([{release, revision: target, kept: []}])

  const objects = parseManifest(stored.manifest)
  const values = {last: last.values, target: stored.values}
  const redact = redactSecretsOf([...parseManifest(last.manifest), ...objects], redactor(values))
  if (isCopy(last, stored)) {
    controls.onProgress('helm', `revision ${last.revision} is already a copy of revision ${target}`)
    return {record: await noted(execution, {last, revision: last.revision}), objects, redact, deadline}
  }
  const cut = await objectsBeforeCut(execution, last)
  const before = [...parseManifest(last.manifest), ...cut]
  const all = [...objects, ...hookObjects(stored)]
  const helmChange = {namespace: releaseNamespace(release), verb: 'rollback'} as const
  await keepDropped(execution, droppedHolders(before, all, helmChange))
  const recreated = recreatedHooks(replacedByHooks(before, all, helmChange), all, helmChange.verb)
  // Helm does not replace a failed Job of the same name, and the gate would fail at once.
  await cluster.health.deleteFailedJobs(releaseNamespace(release), objects)
  try {
    await callHelm({...execution, redact}, {lease, last, values, objects: all})
    const record = await noted(execution, {last, revision: action.revision + 1})
    await writeLists(execution, mixedLists(objects, {...last, applyMethod: stored.applyMethod}))
    await deleteForgotten(execution, cut, objects)
    return {record, objects, recreated, redact, deadline}
  } catch (error) {
    await failUnfinished(execution, lease, error)
    await noteFailed(execution, last).catch(() => undefined)
    throw error
  }
}

/** Sets the revision in the labels, which helm has copied from the target. */
async function noted(
  {action, cluster, run}: Execution,
  {last, revision}: {readonly last: ReleaseRecord; readonly revision: number},
): Promise<ReleaseRecord> {
  const record = expectDeployed(action.release, await cluster.records.last(action.release), revision)
  await cluster.records.label(record, labelsOfCopy(record, runLabels(last, run)))
  return record
}

/**
 * Corrects the labels of a failed rollback: with the copied labels, it would look like an operation of plain
 * helm.
 */
async function noteFailed({action, cluster, run}: Execution, last: ReleaseRecord): Promise<void> {
  const record = await cluster.records.last(action.release)
  if (record?.revision !== action.revision + 1 || record.status !== 'failed') return
  await cluster.records.label(record, labelsOfCopy(record, runLabels(last, run)))
}

function labelsOfCopy(
  {labels, revision}: ReleaseRecord,
  maker: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  return {
    [REVISION_LABEL]: String(revision),
    [GATED_LABEL]: null,
    ...maker,
    // Set if the revision was managed by another tool: kk adopt has taken the release back since.
    ...(EXPORTED_LABEL in labels && {[EXPORTED_LABEL]: null}),
  }
}

/**
 * Returns true if helm has already rolled back, and only the labels, still those of the target, were not
 * corrected. An upgrade by plain helm also copies the labels, so the deployed objects are compared, too.
 */
function isCopy(last: StoredRelease, target: StoredRelease): boolean {
  if (last.status !== 'deployed' || last.revision === target.revision) return false
  const isOfTarget = last.labels[REVISION_LABEL] === target.labels[REVISION_LABEL]
  const deployed = ({manifest, hooks, values}: StoredRelease) => ({manifest, hooks, values})
  return isOfTarget && isDeepStrictEqual(deployed(last), deployed(target))
}

interface UnderLease {
  readonly lease: HeldLease
  readonly last: ReleaseRecord
  readonly objects: readonly KubernetesObject[]
  readonly values: {readonly [revision: string]: unknown}
}

async function callHelm(
  execution: Execution<'rollback'>,
  {lease, last, objects, values}: UnderLease,
): Promise<void> {
  const {action, helm, controls} = execution
  const {release, target, uses} = action
  const requirements = uses.map((use) => ({to: use.release, kind: use.kind}))
  await using _reservations = await reserve(execution, {requirements, before: last})
  const call = {name: releaseName(release), namespace: releaseNamespace(release), revision: target, values}
  controls.onProgress('helm', `helm rollback to revision ${target}`)
  await using operation = await beginOperation(execution, {lease, objects, ignoresAbort: true})
  await operation.result(helm.rollback(call, operation.options))
  await operation.expectHooks()
}

/**
 * Returns the objects of the revision that was deployed before an interrupted rollback. Helm's next rollback
 * compares with the interrupted revision, and deletes none of them. Empty if the last revision is deployed.
 */
async function objectsBeforeCut(
  {action, cluster}: Execution,
  last: ReleaseRecord,
): Promise<readonly KubernetesObject[]> {
  if (last.status === 'deployed') return []
  const stored = await lastDeployed(cluster.records, action.release)
  return stored ? parseManifest(stored.manifest) : []
}

/**
 * Deletes what the interrupted rollback would have deleted: objects that are not in the target and have
 * helm's marks of the release, except data and objects that helm must keep. Each is written to the journal
 * first.
 */
async function deleteForgotten(
  execution: Execution,
  before: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): Promise<void> {
  const {release} = execution.action
  const namespace = releaseNamespace(release)
  const dropped = droppedObjects(before, target, namespace)
  if (dropped.length === 0) return
  for (const present of await execution.cluster.live.present(namespace, dropped)) {
    const leftover = judgedLeftover(release, present)
    if (leftover && leftover.kept === undefined) await deleteNoted(execution, leftover)
  }
}

import {isDeepStrictEqual} from 'node:util'
import type {HeldLease, KubernetesObject, ReleaseRecord, StoredRelease} from '../../cluster/cluster.ts'
import {hookObjects, parseManifest} from '../../cluster/manifest.ts'
import {redactSecretsOf} from '../../helm/redact/objects.ts'
import {redactor} from '../../helm/redact/redact.ts'
import {GATED_LABEL, REVISION_LABEL} from '../../plan/labels.ts'
import {droppedHolders, droppedObjects} from '../../plan/leftovers/dropped.ts'
import {judgedLeftover} from '../../plan/leftovers/ownership.ts'
import {pruned} from '../../plan/rollback/refusals.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import {deleteNoted} from './delete-noted.ts'
import type {Execution} from './execution.ts'
import {keepDropped} from './keep-dropped.ts'
import type {Deployed} from './pass-gate.ts'
import {expectDeployed} from './races.ts'
import {underHelm} from './under-helm.ts'
import {underLease} from './under-lease.ts'
import {settling, underOperation} from './under-operation.ts'
import {underReservations} from './under-reservations.ts'
import {workable} from './workable.ts'

/** A rolled back revision, and what masks the secrets of both revisions. */
export interface RolledBack extends Deployed {
  readonly redact: (text: string) => string
}

/**
 * Returns a release to an earlier revision, which helm copies to a new one, with its labels; then they are made to say
 * so. The last revision is read again before helm starts and after it has ended. Throws `KK_PRUNED` when helm has
 * dropped the revision meanwhile, `KK_RACED`, `KK_PENDING`, `KK_HELD` and what helm throws.
 */
export function rollback(execution: Execution<'rollback'>): Promise<RolledBack> {
  const {action, cluster, controls} = execution
  const {release, target, uses} = action
  return underLease(execution, async (lease) => {
    const last = await cluster.stored(release)
    await workable(execution, last)
    const stored = await cluster.stored(release, target)
    if (!last || !stored) throw pruned([{release, revision: target, kept: []}])

    const objects = parseManifest(stored.manifest)
    const values = {last: last.values, target: stored.values}
    const redact = redactSecretsOf([...parseManifest(last.manifest), ...objects], redactor(values))
    if (isCopy(last, stored)) {
      controls.onProgress('helm', `revision ${last.revision} is a copy of revision ${target} already`)
      return {record: await noted(execution, last.revision), objects, redact}
    }
    const cut = await objectsBeforeCut(execution, last)
    const before = [...parseManifest(last.manifest), ...cut]
    await keepDropped(execution, droppedHolders(before, objects, releaseNamespace(release)))
    // Helm leaves a failed Job of the same name as it is, and the gate would fail at once.
    await cluster.deleteFailedJobs(releaseNamespace(release), objects)
    const requirements = uses.map((use) => ({to: use.release, kind: use.kind}))
    return settling(execution, lease, async () => {
      await underReservations(execution, {requirements, before: last}, () =>
        callHelm({...execution, redact}, {lease, objects: [...objects, ...hookObjects(stored)], values}),
      )
      const record = await noted(execution, action.revision + 1)
      await deleteForgotten(execution, cut, objects)
      return {record, objects, redact}
    })
  })
}

/** Makes the labels, which helm has copied, say of which revision they are. */
async function noted({action, cluster}: Execution, revision: number): Promise<ReleaseRecord> {
  const record = expectDeployed(action.release, await cluster.lastRecord(action.release), revision)
  await cluster.label(record, {[REVISION_LABEL]: String(revision), [GATED_LABEL]: null})
  return record
}

/**
 * Whether helm has rolled back already, and only nobody was left to note it: the labels are still those of the target.
 * So are those of an upgrade by plain helm upon the target; hence what is deployed is compared, too.
 */
function isCopy(last: StoredRelease, target: StoredRelease): boolean {
  if (last.status !== 'deployed' || last.revision === target.revision) return false
  const isOfTarget = last.labels[REVISION_LABEL] === target.labels[REVISION_LABEL]
  const deployed = ({manifest, hooks, values}: StoredRelease) => ({manifest, hooks, values})
  return isOfTarget && isDeepStrictEqual(deployed(last), deployed(target))
}

interface UnderLease {
  readonly lease: HeldLease
  readonly objects: readonly KubernetesObject[]
  readonly values: {readonly [revision: string]: unknown}
}

function callHelm(execution: Execution<'rollback'>, {lease, objects, values}: UnderLease): Promise<void> {
  const {action, helm, controls, deadline, clock} = execution
  const {release, target} = action
  const timeoutSeconds = Math.max(1, Math.ceil((deadline - clock.now()) / 1000))
  const call = {name: releaseName(release), namespace: releaseNamespace(release), revision: target, values}
  controls.onProgress('helm', `helm rollback to revision ${target}`)
  return underOperation(execution, lease, (started) =>
    underHelm(uninterrupted({execution, work: {objects, timeoutSeconds}, lease}), (signal) =>
      helm.rollback(call, {...started, timeoutSeconds, signal}),
    ),
  )
}

/**
 * Helm has no handler for signals in rollback: it would end at once and leave the release pending. So an abort of the
 * run lets it end by itself; its deadline and the loss of its Lease still end it.
 */
function uninterrupted<T extends {readonly execution: Execution}>(surroundings: T): T {
  const {execution} = surroundings
  const controls = {...execution.controls, signal: new AbortController().signal}
  return {...surroundings, execution: {...execution, controls}}
}

/**
 * The objects of the revision that was deployed when a rollback was cut short. Helm's next rollback compares with the
 * revision that was cut short, and deletes none of them. None where the last revision is deployed.
 */
async function objectsBeforeCut(
  {action, cluster}: Execution,
  last: ReleaseRecord,
): Promise<readonly KubernetesObject[]> {
  if (last.status === 'deployed') return []
  const {release} = action
  const deployed = (await cluster.revisions(release)).findLast(({status}) => status === 'deployed')
  const stored = deployed && (await cluster.stored(release, deployed.revision))
  return stored ? parseManifest(stored.manifest) : []
}

/**
 * Deletes what the rollback that was cut short would have deleted: objects that the target does not have and that bear
 * helm's mark of the release, but never data, and nothing that helm is told to keep. Each stands in the journal before.
 */
async function deleteForgotten(
  execution: Execution,
  before: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): Promise<void> {
  const {release} = execution.action
  const home = releaseNamespace(release)
  const dropped = droppedObjects(before, target, home)
  if (dropped.length === 0) return
  for (const present of await execution.cluster.present(home, dropped)) {
    const left = judgedLeftover(release, present)
    if (left && left.kept === undefined) await deleteNoted(execution, left)
  }
}

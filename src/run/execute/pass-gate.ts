import type {Cause, KubernetesObject, ReleaseRecord, StoredRelease} from '../../cluster/cluster.ts'
import {describeCause} from '../../cluster/gate/cause.ts'
import {OPERATION} from '../../cluster/lease/operation.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {KkError} from '../../errors.ts'
import {redactor} from '../../helm/redact/redact.ts'
import {GATED_LABEL, readLabels, UNCHECKED_LABEL} from '../../plan/labels.ts'
import {isRechecked} from '../../plan/plan.ts'
import {unfinished} from '../../plan/refusals.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {type Execution, masking} from './execution.ts'
import {giveBack} from './lease.ts'
import {expectRevision, raced} from './races.ts'
import {awaitServed} from './served-kinds.ts'

/** A revision that helm has deployed. */
export interface Deployed {
  readonly record: ReleaseRecord
  readonly objects: readonly KubernetesObject[]
}

/** Waits until what helm has just deployed is healthy, and marks its record. Throws `KK_UNHEALTHY`, `KK_RACED`. */
export async function passGate(
  execution: Execution,
  deployed: Deployed,
): Promise<{readonly revision: number}> {
  const {revision} = deployed.record
  await awaitServed(execution, deployed.objects)
  execution.controls.onHelmEnded()
  await awaitHealth(execution, {objects: deployed.objects, revision})
  return mark(execution, revision)
}

/**
 * The same for a revision that was deployed before this run; one that has the mark passes at once, unless something that
 * it requires has changed. A release that is
 * only checked is looked at whatever it bears, and at the revision that it has now. Throws `KK_NOT_INSTALLED`,
 * `KK_PENDING`, `KK_UNHEALTHY`, `KK_RACED`.
 */
export async function passGateAgain(
  execution: Execution<'await' | 'check' | 'relabel'>,
): Promise<{readonly revision: number}> {
  const {action, cluster, controls} = execution
  const {release, kind} = action
  const stored = await cluster.stored(release)
  if (kind !== 'check') expectRevision(release, stored, action.revision)
  expectInstalled(release, stored)
  if (kind === 'await') await takeAwayLeft(execution).catch(() => undefined)
  const {revision} = stored
  const mayPass = kind === 'await' || (kind === 'relabel' && !action.recheck)
  if (mayPass && isMarked(stored)) return {revision}

  const objects = parseManifest(stored.manifest)
  const exist = !controls.appliedAwaited || (await cluster.exist(releaseNamespace(release), objects))
  if (exist) controls.onHelmEnded()
  // What was deployed before this run is known by its record.
  const {redact: own = (text) => text} = execution
  const recorded = redactor(stored.values)
  const redact = (text: string) => recorded(own(text))
  await awaitHealth({...execution, redact}, {objects, revision})
  // Nobody has compared a release that is only checked with what is wanted: its mark would let it pass as unchanged.
  return kind === 'check' ? {revision} : mark(execution, revision)
}

/**
 * Takes away what a run has left that was killed when its helm had ended: its Lease, for which others would wait, and its
 * reservations, which forbid removals. What is held by somebody who lives stays, and what cannot be taken away runs out.
 */
async function takeAwayLeft({action, cluster, holder}: Execution): Promise<void> {
  const {release} = action
  if (!(await cluster.lease(release))) return
  const lease = await cluster.hold(release, holder, 0, () => undefined)
  try {
    await cluster.reservations.withdraw(release)
    // What helm was started for is no evidence any more: the record is deployed.
    await lease.annotate({[OPERATION]: null})
  } finally {
    await giveBack(lease)
  }
}

/** What is to be healthy. */
interface Expected {
  readonly objects: readonly KubernetesObject[]
  readonly revision: number
}

async function awaitHealth(execution: Execution, {objects, revision}: Expected): Promise<void> {
  const {action, cluster, controls, deadline, journal} = execution
  const current = whileCurrent(execution, revision)
  controls.onProgress('gate', 'waiting for health')
  await cluster.gate({
    namespace: releaseNamespace(action.release),
    objects,
    deadline,
    signal: current.signal,
    onProgress: (blames) => {
      current.look(blames)
      if (blames[0]) controls.onProgress('gate', describeCause(blames[0]), blames)
    },
    redact: masking(execution),
  })
  await journal.note({type: 'gate-passed', release: action.release, revision})
}

/**
 * Only this environment's own records are marked, and only the revision that was looked at. In the same breath it is
 * noted that dependents are still to be checked, for kk may be killed before they are.
 */
async function mark(execution: Execution, revision: number): Promise<{readonly revision: number}> {
  const {action, cluster, environment} = execution
  const record = await cluster.lastRecord(action.release)
  const isOwn = record !== undefined && readLabels(record.labels)?.owner === environment
  if (record?.revision !== revision)
    throw raced(action.release, `revision ${revision} was replaced while its gate was awaited`)
  const text = String(revision)
  const labels = {[GATED_LABEL]: text, ...(isRechecked(action) && {[UNCHECKED_LABEL]: text})}
  if (isOwn && !isMarked(record)) await cluster.label(record, labels)
  return {revision}
}

function isMarked({labels, revision}: ReleaseRecord): boolean {
  return readLabels(labels)?.gated === revision
}

/** Throws `KK_NOT_INSTALLED`, `KK_PENDING`, `KK_UNHEALTHY` unless there is a deployed revision. */
export function expectInstalled(
  release: ReleaseId,
  stored: StoredRelease | undefined,
): asserts stored is StoredRelease {
  if (!stored) {
    throw new KkError('KK_NOT_INSTALLED', `${release} is not installed any more`, {
      hint: 'run the same command again: kk looks at the cluster first',
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

/** A revision whose health is awaited for as long as it is the one that counts. */
interface Current {
  /** Aborts with the run, and with `KK_RACED` once the revision has been removed or replaced. */
  readonly signal: AbortSignal
  /** Is told what is not healthy yet: what is missing may have been removed with its release. */
  look(blames: readonly Cause[]): void
}

function whileCurrent({action, cluster, controls}: Execution, revision: number): Current {
  const {release} = action
  const replaced = new AbortController()
  const readRecord = async () => {
    const record = await cluster.lastRecord(release)
    if (record?.revision === revision && record.status === 'deployed') return
    const what = record ? `it is ${record.status} at revision ${record.revision}` : 'it is gone'
    replaced.abort(raced(release, `${what} while the gate of revision ${revision} was awaited`))
  }
  return {
    signal: AbortSignal.any([controls.signal, replaced.signal]),
    look(blames) {
      // Whoever cannot read the record goes on waiting, to the deadline.
      if (blames.some(({reason}) => reason === 'NotFound')) readRecord().catch(() => {})
    },
  }
}

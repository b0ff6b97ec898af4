import type {ReleaseRecord} from '../../cluster/cluster.ts'
import {parseManifest, testHooks} from '../../cluster/manifest.ts'
import {asKkError, KkError} from '../../errors.ts'
import {redactSecretsOf} from '../../helm/redact/objects.ts'
import {redactor} from '../../helm/redact/redact.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {
  adoptionLabels,
  GATED_LABEL,
  INPUTS_LABEL,
  labelChanges,
  labelsOf,
  readLabels,
  UNCHECKED_LABEL,
  usesLabel,
} from '../../plan/labels.ts'
import type {Action} from '../../plan/plan.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import type {Controls} from '../perform.ts'
import {change} from './actions/change.ts'
import {expectInstalled, passGate, passGateAgain} from './actions/pass-gate.ts'
import {type PruningWork, prune} from './actions/prune.ts'
import {type RemovalWork, remove} from './actions/remove.ts'
import {rollback} from './actions/rollback.ts'
import type {Execution, Tools} from './execution.ts'
import {underLease} from './leases/under-lease.ts'
import {underOperation} from './leases/under-operation.ts'
import {underReservations} from './leases/under-reservations.ts'
import {expectRevision, raced} from './races.ts'
import {underHelm} from './under-helm.ts'
import {DEFAULT_TIMEOUT_SECONDS, type Work} from './work.ts'

interface Execute {
  readonly action: Action
  /** May be missing where helm does not run. */
  readonly work: Work | undefined
  /** Of a removal, in its place. */
  readonly removal?: RemovalWork | undefined
  /** Of a pruning. */
  readonly pruning?: PruningWork | undefined
  /** Where there is no work. */
  readonly timeoutSeconds?: number | undefined
  readonly tools: Tools
  readonly controls: Controls
}

/**
 * Does one action, up to its passed gate. Throws `KK_HELD` and `KK_RACED` when others are at work on the release,
 * `KK_INVALID_OBJECT`, what helm throws with the pod that is the cause, `KK_PENDING` when helm could not record its
 * end, `KK_UNHEALTHY`, `KK_INTERRUPTED`.
 */
export async function execute({
  action,
  work,
  removal,
  pruning,
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
  tools,
  controls,
}: Execute): Promise<{readonly revision: number}> {
  const given = work ?? removal
  const seconds = given?.timeoutSeconds ?? timeoutSeconds
  const execution: Execution = {
    ...tools,
    action,
    controls,
    deadline: tools.clock.now() + seconds * 1000,
    ...(given && {redact: redactor(given.values)}),
  }
  const {release} = action
  try {
    const result = await perform(execution, {work, removal, pruning})
    await tools.journal.note({type: 'release-ended', release})
    return result
  } catch (error) {
    tools.agreement.failed(release, error)
    await tools.journal.note({type: 'release-ended', release, error: asKkError(error).code})
    throw error
  }
}

async function perform(
  execution: Execution,
  {work, removal, pruning}: Pick<Execute, 'work' | 'removal' | 'pruning'>,
): Promise<{readonly revision: number}> {
  const {action} = execution
  switch (action.kind) {
    case 'install':
    case 'upgrade':
      return passGate(execution, await change(execution, needed(work, action)))
    case 'rollback': {
      const {redact, ...deployed} = await rollback(execution)
      return passGate({...execution, redact}, deployed)
    }
    case 'remove':
      return remove(execution, needed(removal, action))
    case 'prune':
      return prune(execution, needed(pruning, action))
    case 'test':
      return test(execution)
    case 'relabel':
      await relabel(execution, needed(work, action))
      return passGateAgain(execution)
    case 'adopt':
      return adopt(execution, needed(work, action))
    case 'await':
    case 'check':
      return passGateAgain(execution)
    case 'unchanged':
      return {revision: action.revision}
  }
}

function needed<T>(work: T | undefined, {release, kind}: Action): T {
  if (!work) throw new KkError('KK_BUG', `nothing was prepared to ${kind} ${release}`)
  return work
}

/** Patches the requirements on the last record, under the release's Lease: a change of edges makes no revision. Throws `KK_HELD`, `KK_RACED`. */
function relabel(execution: Execution, work: Work): Promise<void> {
  const {action, cluster} = execution
  const {release, revision} = action
  return underLease(execution, async () => {
    const record = expectRevision(release, await cluster.lastRecord(release), revision)
    if (!record) throw raced(release, 'it is not installed any more')
    const gated = Object.entries(record.labels).filter(([name]) => name === GATED_LABEL)
    const labels = {...labelsOf(work.desired, revision), ...Object.fromEntries(gated)}
    await underReservations(execution, {requirements: work.desired.requirements, before: record}, () =>
      cluster.label(record, labelChanges(labels, record.labels)),
    )
  })
}

/**
 * Runs the tests of a release under its Lease, for helm writes their results into the record as it was when it began: an
 * upgrade meanwhile would be undone in the records. Throws `KK_HELM_FAILED` with the pod that failed and its last log
 * lines, `KK_RACED`, `KK_PENDING`, `KK_UNHEALTHY` for a revision that is not deployed, `KK_HELD`.
 */
function test(execution: Execution): Promise<{readonly revision: number}> {
  const {action, cluster, helm, controls, deadline, clock} = execution
  const {release, revision} = action
  return underLease(execution, async (lease) => {
    const stored = await cluster.stored(release)
    expectRevision(release, stored, revision)
    expectInstalled(release, stored)

    const {values} = stored
    const objects = testHooks(stored)
    const redact = redactSecretsOf(parseManifest(stored.manifest), redactor(values))
    const timeoutSeconds = Math.max(1, Math.ceil((deadline - clock.now()) / 1000))
    const call = {name: releaseName(release), namespace: releaseNamespace(release), values}
    controls.onProgress('helm', 'helm test')
    await underOperation(execution, lease, (started) =>
      underHelm({execution: {...execution, redact}, work: {objects, timeoutSeconds}, lease}, (signal) =>
        helm.test(call, {timeoutSeconds, signal, ...started}),
      ),
    )
    expectRevision(release, await cluster.lastRecord(release), revision)
    return {revision}
  })
}

/**
 * Writes this environment's labels on the last record of a release that it did not install, or that another hands over, under the release's Lease and
 * the record's resourceVersion; nothing else is changed. Digests are written only where the plan has judged the inputs to
 * be the same. Throws `KK_HELD`, `KK_RACED`, `KK_PENDING`, `KK_NOT_INSTALLED`.
 */
function adopt(execution: Execution, {desired}: Work): Promise<{readonly revision: number}> {
  const {action, cluster} = execution
  const {release, revision, inputs, from} = action
  return underLease(execution, async () => {
    const record = expectRevision(release, await cluster.lastRecord(release), revision)
    if (!record) throw raced(release, 'it is not installed any more')
    if (readLabels(record.labels)?.owner !== from) throw raced(release, 'somebody has adopted it')
    const {requirements, missing} = await installedAmong(desired.requirements, cluster)
    const all = inputs === '' ? adoptionLabels(desired, revision) : labelsOf(desired, revision)
    const labels = Object.fromEntries(Object.entries(all).filter(([name]) => !missing.has(name)))
    await underReservations(execution, {requirements, before: record}, () =>
      cluster.label(record, {
        ...labelChanges(labels, record.labels),
        // The inputs of the environment that hands it over are not this one's.
        ...(from !== undefined && inputs === '' && {[INPUTS_LABEL]: null}),
        // The revision is the same, and has passed its gate whoever owns it.
        ...(from !== undefined && gateMarks(record)),
      }),
    )
    return {revision}
  })
}

function gateMarks({labels}: ReleaseRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels).filter(([name]) => name === GATED_LABEL || name === UNCHECKED_LABEL),
  )
}

/** What is required and not there cannot be declared as used: the next deploy installs it, and declares it then. */
async function installedAmong(
  requirements: DesiredRelease['requirements'],
  cluster: Pick<Execution['cluster'], 'lastRecord'>,
): Promise<{readonly requirements: DesiredRelease['requirements']; readonly missing: ReadonlySet<string>}> {
  const installed: DesiredRelease['requirements'][number][] = []
  const missing = new Set<string>()
  for (const requirement of requirements) {
    const record = await cluster.lastRecord(requirement.to)
    if (record && isInstalled(record)) installed.push(requirement)
    else missing.add(usesLabel(requirement.to))
  }
  return {requirements: installed, missing}
}

function isInstalled({status}: ReleaseRecord): boolean {
  return status !== 'uninstalling' && status !== 'uninstalled'
}

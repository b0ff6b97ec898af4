import type {ReleaseRecord} from '../../cluster/cluster.ts'
import {parseManifest, testHooks} from '../../cluster/manifest.ts'
import {asKkError} from '../../errors.ts'
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
import type {Action, ActionKind} from '../../plan/plan.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import type {Controls} from '../perform.ts'
import type {DesiredWork, Task} from '../task.ts'
import {change} from './change.ts'
import type {Execution, Tools} from './execution.ts'
import {expectInstalled, passGate, passGateAgain} from './pass-gate.ts'
import {prune} from './prune.ts'
import {expectRevision, raced} from './races.ts'
import {remove} from './remove.ts'
import {rollback} from './rollback.ts'
import {underHelm} from './under-helm.ts'
import {underLease} from './under-lease.ts'
import {underOperation} from './under-operation.ts'
import {underReservations} from './under-reservations.ts'

interface ExecuteOptions {
  readonly tools: Tools
  readonly controls: Controls
}

/**
 * Does one action, up to its passed gate. Throws `KK_HELD` and `KK_RACED` when others are at work on the release,
 * `KK_INVALID_OBJECT`, what helm throws with the pod that is its cause, `KK_PENDING` when helm could not record its
 * end, `KK_UNHEALTHY`, `KK_INTERRUPTED`.
 */
export async function execute(
  task: Task,
  {tools, controls}: ExecuteOptions,
): Promise<{readonly revision: number}> {
  const {release} = task.action
  try {
    const result = await perform(task, {
      ...tools,
      controls,
      deadline: tools.clock.now() + task.work.timeoutSeconds * 1000,
    })
    await tools.journal.note({type: 'release-ended', release})
    return result
  } catch (error) {
    tools.agreement.failed(release, error)
    await tools.journal.note({type: 'release-ended', release, error: asKkError(error).code})
    throw error
  }
}

async function perform(
  task: Task,
  surroundings: Omit<Execution, 'action'>,
): Promise<{readonly revision: number}> {
  const on = <K extends ActionKind>(action: Action<K>): Execution<K> => ({...surroundings, action})
  switch (task.kind) {
    case 'install':
    case 'upgrade': {
      const execution = {...on(task.action), redact: redactor(task.work.values)}
      return passGate(execution, await change(execution, task.work))
    }
    case 'rollback': {
      const {redact, ...deployed} = await rollback(on(task.action))
      return passGate({...on(task.action), redact}, deployed)
    }
    case 'remove':
      return remove({...on(task.action), redact: redactor(task.work.values)}, task.work)
    case 'prune':
      return prune(on(task.action), task.work)
    case 'test':
      return test(on(task.action))
    case 'relabel':
      await relabel(on(task.action), task.work)
      return passGateAgain(on(task.action))
    case 'adopt':
      return adopt(on(task.action), task.work)
    case 'await':
    case 'check':
      return passGateAgain(on(task.action))
  }
}

/** Patches the requirements on the last record, under the release's Lease: a change of edges makes no revision. Throws `KK_HELD`, `KK_RACED`. */
function relabel(execution: Execution<'relabel'>, {desired}: DesiredWork): Promise<void> {
  const {action, cluster} = execution
  const {release, revision} = action
  return underLease(execution, async () => {
    const record = expectRevision(release, await cluster.lastRecord(release), revision)
    if (!record) throw raced(release, 'it is not installed any more')
    const gated = Object.entries(record.labels).filter(([name]) => name === GATED_LABEL)
    const labels = {...labelsOf(desired, revision), ...Object.fromEntries(gated)}
    await underReservations(execution, {requirements: desired.requirements, before: record}, () =>
      cluster.label(record, labelChanges(labels, record.labels)),
    )
  })
}

/**
 * Runs the tests of a release under its Lease, for helm writes their results into the record as it was when it began: an
 * upgrade meanwhile would be undone in the records. Throws `KK_HELM_FAILED` with the pod that failed and its last log
 * lines, `KK_RACED`, `KK_PENDING`, `KK_UNHEALTHY` for a revision that is not deployed, `KK_HELD`.
 */
function test(execution: Execution<'test'>): Promise<{readonly revision: number}> {
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
function adopt(execution: Execution<'adopt'>, {desired}: DesiredWork): Promise<{readonly revision: number}> {
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

import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {isApiError, maskedError} from '../../kubernetes/api/api-error.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName, parseManifest, testHooks} from '../../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {Action, ActionKind} from '../../plan/plan.ts'
import {dataOfHooks, dataWith} from '../../plan/removal/hook-data.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {redactor} from '../../redact/redact.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import type {Controls, Performed, Task} from '../task.ts'
import {change} from './change.ts'
import {type Execution, masking, type Tools} from './execution.ts'
import {beginOperation} from './helm-operation.ts'
import {takeLease} from './lease.ts'
import {
  checkGate,
  passGate,
  passGateOfEarlierRun,
  passGateOfRelabelled,
  plannedRevision,
} from './pass-gate.ts'
import {prune} from './prune.ts'
import {expectRevision} from './races.ts'
import {adopt, handOver, relabel} from './relabel.ts'
import {remove} from './remove.ts'
import {rollback} from './rollback.ts'
import {testsInTap} from './tap.ts'

interface ExecuteOptions {
  readonly tools: Tools
  readonly controls: Controls
}

/**
 * Does one action, up to its passed gate. Throws `KK_HELD` and `KK_RACED` when others are at work on the release,
 * `KK_INVALID_OBJECT`, what helm throws with the pod that is its cause, `KK_PENDING` when helm could not record its
 * end, `KK_UNHEALTHY`, `KK_INTERRUPTED`.
 */
export async function execute(task: Task, {tools, controls}: ExecuteOptions): Promise<Performed> {
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
    throw isApiError(error) ? maskedError(error, tools.mask) : error
  }
}

async function perform(task: Task, surroundings: Omit<Execution, 'action'>): Promise<Performed> {
  const on = <K extends ActionKind>(action: Action<K>): Execution<K> => ({...surroundings, action})
  switch (task.kind) {
    case 'install':
    case 'upgrade': {
      const execution = {...on(task.action), redact: redactor(task.work.values)}
      return passGate(execution, {...(await change(execution, task.work)), replaced: task.work.replaced})
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
      return passGateOfRelabelled({...on(task.action), ...(await relabel(on(task.action), task.work))})
    case 'adopt':
      return adopt(on(task.action), task.work)
    case 'hand-over':
      return handOver(on(task.action))
    case 'await':
      return passGateOfEarlierRun(on(task.action))
    case 'check':
      return checkGate(on(task.action))
  }
}

/**
 * Runs the tests of a release under its Lease, for helm writes their results into the record as it was when it began: an
 * upgrade meanwhile would be undone in the records. Throws `KK_HELM_FAILED` with the pod that failed and its last log
 * lines, `KK_RACED`, `KK_PENDING`, `KK_UNHEALTHY` for a revision that is not deployed, `KK_HELD`.
 */
async function test(begun: Execution<'test'>): Promise<{readonly revision: number}> {
  const {action, cluster, controls} = begun
  const {release, revision} = action
  await using taken = await takeLease(begun)
  const {lease, deadline} = taken
  const execution = {...begun, deadline}
  const stored = await plannedRevision(execution)

  await expectNoData(execution, stored)
  controls.onProgress('helm', 'helm test')
  await callHelm(execution, lease, stored)
  expectRevision({...action, uid: stored.secret.uid}, await cluster.records.last(release))
  return {revision}
}

/**
 * Throws `KK_UNCONFIRMED` for data that no test made, and that helm would delete because it is a hook of the tests now: an
 * upgrade keeps a claim that its chart makes as such.
 */
async function expectNoData({cluster}: Execution<'test'>, {release, hooks}: StoredRelease): Promise<void> {
  const data = dataOfHooks(testHooks({hooks}), 'test')
  const found = data.length === 0 ? [] : await cluster.live.present(releaseNamespace(release), data)
  const open = found.filter(({live}) => live === undefined || !isHook({kind: '', metadata: live}))
  if (open.length === 0) return
  const names = open.map(({object}) => `${objectName(object)} ${dataWith(object)}`).join(', ')
  throw new KkError('KK_UNCONFIRMED', `${release}: helm test would delete ${names}, which no test has made`, {
    hint: 'rename it in the chart, where it is a hook of the tests; or delete it by hand',
  })
}

async function callHelm(
  execution: Execution<'test'>,
  lease: HeldLease,
  stored: StoredRelease,
): Promise<void> {
  const {release, values} = stored
  const redact = redactSecretsOf(parseManifest(stored.manifest), redactor(values))
  const objects = testHooks(stored)
  const call = {name: releaseName(release), namespace: releaseNamespace(release), values}
  await using operation = await beginOperation({...execution, redact}, {lease, objects})
  try {
    await operation.result(execution.helm.test(call, operation.options))
    await operation.expectHooks()
  } finally {
    await tellTests({...execution, redact}, objects)
  }
}

/** Tells how each test ended, where the pods of `helm test` log that as TAP; of a log that cannot be read, nothing. */
async function tellTests(execution: Execution<'test'>, hooks: readonly KubernetesObject[]): Promise<void> {
  const {action, cluster, controls} = execution
  const mask = masking(execution)
  const pods = hooks.filter(({apiVersion, kind}) => apiVersion === 'v1' && kind === 'Pod')
  const logs = await mapParallel(pods, async ({metadata, spec}) => {
    const {containers: [container] = []} = spec as {readonly containers?: readonly {readonly name: string}[]}
    const namespace = metadata.namespace ?? releaseNamespace(action.release)
    return container ? cluster.health.log(namespace, metadata.name, container.name).catch(() => []) : []
  })
  const tests = logs.flatMap((lines) => testsInTap(lines.map(mask)))
  if (tests.length > 0) controls.onTested(tests)
}

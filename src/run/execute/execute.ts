import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {isApiError, maskedError} from '../../kubernetes/api/api-error.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {isUserTest, objectName, parseManifest, testHooks} from '../../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {Action, ActionKind} from '../../plan/plan.ts'
import {dataOfHooks, dataWith} from '../../plan/removal/hook-data.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {redactor} from '../../redact/redact.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import type {ActionResult, Controls, Task} from '../task.ts'
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
 * Performs one action until its gate has passed. Throws `KK_HELD` and `KK_RACED` if another process works on
 * the release, `KK_INVALID_OBJECT`, helm's errors with the pod that caused them, `KK_PENDING` if helm could
 * not record its end, `KK_UNHEALTHY`, `KK_INTERRUPTED`.
 */
export async function execute(task: Task, {tools, controls}: ExecuteOptions): Promise<ActionResult> {
  const {release} = task.action
  try {
    const {timeoutSeconds, unavailable} = task.work
    const nodeTimeoutMs = timeoutSeconds * 1000
    const result = await perform(task, {
      ...tools,
      controls,
      deadline: tools.clock.now() + nodeTimeoutMs,
      nodeTimeoutMs,
      unavailable,
    })
    await tools.journal.note({type: 'release-ended', release})
    return result
  } catch (error) {
    tools.agreement.failed(release, error)
    await tools.journal.note({type: 'release-ended', release, error: asKkError(error).code})
    throw isApiError(error) ? maskedError(error, tools.mask) : error
  }
}

async function perform(task: Task, context: Omit<Execution, 'action'>): Promise<ActionResult> {
  const on = <K extends ActionKind>(action: Action<K>): Execution<K> => ({...context, action})
  switch (task.kind) {
    case 'install':
    case 'upgrade': {
      const execution = {...on(task.action), redact: redactor(task.work.values)}
      return passGate(execution, {...(await change(execution, task.work)), recreated: task.work.recreated})
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
 * Runs the tests of a release under its Lease, because helm overwrites the record with the one that it read
 * at the start: a concurrent upgrade would be lost from the records. Throws `KK_HELM_FAILED` with the pod
 * that failed and its last log lines, `KK_RACED`, `KK_PENDING`, `KK_UNHEALTHY` for a revision that is not
 * deployed, `KK_HELD`.
 */
async function test(started: Execution<'test'>): Promise<{readonly revision: number}> {
  const {userTestOf: release = started.action.release} = started.action
  const action = {...started.action, release}
  const {revision} = action
  const initial = {...started, action}
  const {cluster, controls} = initial
  await using taken = await takeLease(initial)
  const {lease, deadline} = taken
  const execution = {...initial, deadline}
  const stored = await plannedRevision(execution)

  const hooks = testHooks(stored)
  const selected = hooks.filter((hook) => isUserTest(hook) === (action.userTestOf !== undefined))
  await expectNoData(execution, selected)
  controls.onProgress('helm', 'helm test')
  await callHelm(execution, {lease, stored, hooks: selected, userTests: hooks.filter(isUserTest)})
  expectRevision({...action, uid: stored.secret.uid}, await cluster.records.last(release))
  return {revision}
}

/**
 * Throws `KK_UNCONFIRMED` for data that no test created and that helm would delete because it is a test hook
 * now: if a chart turns a claim into a hook, an upgrade keeps the claim, but a test deletes it.
 */
async function expectNoData(
  {action: {release}, cluster}: Execution<'test'>,
  hooks: readonly KubernetesObject[],
): Promise<void> {
  const data = dataOfHooks(hooks, 'test')
  const present = data.length === 0 ? [] : await cluster.live.present(releaseNamespace(release), data)
  const ordinary = present.filter(({live}) => live === undefined || !isHook({kind: '', metadata: live}))
  if (ordinary.length === 0) return
  const names = ordinary.map(({object}) => `${objectName(object)} ${dataWith(object)}`).join(', ')
  throw new KkError(
    'KK_UNCONFIRMED',
    `${release}: helm test would delete ${names}, which no test has created`,
    {
      hint: 'rename the hook of the tests in the chart, or delete the object manually',
    },
  )
}

interface TestHooks {
  readonly lease: HeldLease
  readonly stored: StoredRelease
  /** The hooks to run. */
  readonly hooks: readonly KubernetesObject[]
  readonly userTests: readonly KubernetesObject[]
}

async function callHelm(
  execution: Execution<'test'>,
  {lease, stored, hooks: objects, userTests}: TestHooks,
): Promise<void> {
  const {release, values} = stored
  const redact = redactSecretsOf(parseManifest(stored.manifest), redactor(values))
  const names = userTests.map(({metadata}) => metadata.name)
  const filter = execution.action.userTestOf === undefined ? {except: names} : {only: names}
  const call = {name: releaseName(release), namespace: releaseNamespace(release), values, filter}
  await using operation = await beginOperation({...execution, redact}, {lease, objects})
  try {
    await operation.result(execution.helm.test(call, operation.options))
    await operation.expectHooks()
  } finally {
    await reportTests({...execution, redact}, objects)
  }
}

/** Reports the result of each test if the pods of `helm test` log TAP; ignores logs that cannot be read. */
async function reportTests(execution: Execution<'test'>, hooks: readonly KubernetesObject[]): Promise<void> {
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

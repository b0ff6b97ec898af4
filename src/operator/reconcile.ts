import type {Plan} from '../plan/plan.ts'
import {releaseName} from '../release.ts'
import {NO_RUN} from '../run/run-state.ts'
import {type PlannedChange, planChange} from '../verbs/change/planned-change.ts'
import type {DispatchTask} from '../verbs/change/start-run.ts'
import {statusReader} from '../verbs/observation/status.ts'
import type {Supplied} from '../verbs/secrets/supply-secrets.ts'
import type {ClusterConnection, StatusSnapshot} from './cluster-connections.ts'
import type {EnvironmentObject, EnvironmentStatus} from './crds/environment.ts'
import {decide, type Planned, planDigest, requestedRetry, stateDigest, targetDigest} from './decision.ts'
import {driftPorts} from './drift-watcher.ts'
import {planUnwanted, removeApproved, syncFinalizer} from './finalizer.ts'
import {findLongestActionMs, followRun} from './follow-run.ts'
import {readPredecessorWait, sourceDigest} from './predecessors.ts'
import type {ReconcileContext} from './reconcile-context.ts'
import {inputsDigest, readSource} from './source.ts'
import {nextStage, resolveStops} from './stages.ts'
import {testReleases} from './test-releases.ts'
import type {DeployTask} from './workers/task-secret.ts'

/**
 * The result of a reconciliation: its plan, and whether it was run, so that the next reconciliation observes
 * the outcome.
 */
export interface ReconcileResult {
  readonly plan: Plan
  readonly hasRun: boolean
  /** When the next reconciliation is due without a change, in milliseconds since the epoch. */
  readonly due?: number | undefined
}

/**
 * Reconciles an Environment once: reads the inputs, plans, and runs the plan if so decided. Throws transient
 * failures.
 */
export async function reconcile(
  environment: EnvironmentObject,
  connection: ClusterConnection,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const {statusWriter, heartbeat} = context
  const {cluster} = connection
  const {name} = environment.metadata
  const source = await readSource(environment, context.hub)
  statusWriter.setMemory({inputs: inputsDigest(source, requestedRetry(environment.metadata))})
  const supplied = await connection.open(name, source)
  const prepared = supplied.planned
  const scope = {names: [], install: true}
  // Waits for a run of another process without a timeout.
  const say = () => heartbeat(WAIT_FOR_RUN_MS)
  const wholeChange = await planChange(supplied, cluster, {scope, waits: true, say})
  const {plan} = wholeChange
  const stage = nextStage(plan, resolveStops(environment.spec.approval?.after, prepared))
  const change = wholeChange.part(stage.plan)
  const {parts} = prepared.environment
  const target = targetDigest(wholeChange.withFinalDigests, stage.until)
  const digest = planDigest(stage.plan, environment.status?.approved)
  const planned = {plan, stage, digest, target, state: stateDigest(plan), parts}
  const decision = decide(planned, environment)
  const now = Date.now()
  const predecessorWait =
    decision.kind === 'run' && decision.begins
      ? await readPredecessorWait(environment, context.hub, now)
      : undefined
  if (decision.kind === 'run' && !predecessorWait) {
    await runPlan({planned, change, releases: supplied.final.releases, environment}, connection, context)
    return {plan, hasRun: true}
  }
  const subject = {owner: prepared.environment.name, prepared: supplied.final, names: []}
  const {read} = reuseSnapshot(name, connection, {
    target: planned.target,
    make: () => statusReader(subject, cluster),
  })
  const releases = (await read()).releases.filter(({wanted}) => wanted)
  if (predecessorWait) {
    await statusWriter.write({kind: 'waiting', planned, predecessorWait, releases})
    return {plan, hasRun: false, due: predecessorWait.until}
  }
  switch (decision.kind) {
    case 'test':
      await testReleases({planned, releases, prepared, environment}, connection, context)
      return {plan, hasRun: true}
    case 'unapproved':
      await statusWriter.write({kind: 'unapproved', planned, actions: decision.actions, releases})
      break
    case 'held':
      await statusWriter.write({kind: 'held', planned, failure: decision.failure, releases})
      break
    case 'idle': {
      await syncFinalizer(environment, context.hub)
      await change.keepSecrets()
      const unwanted = await planUnwanted(plan, prepared.environment, connection)
      const seen = {planned, releases}
      const hasRun =
        unwanted !== undefined && (await removeApproved(unwanted, seen, {environment, connection, context}))
      if (hasRun) return {plan, hasRun}
      const drift = await context.driftWatcher.check(environment, prepared, driftPorts(cluster))
      const failed = environment.status?.failed
      const memory = {
        deployed: planned.target,
        failed: failed !== undefined && failed.inputs === unwanted?.digest ? failed : undefined,
        begun: undefined,
        ...(environment.status?.begun !== undefined && usedApprovalOf(environment)),
      }
      const observed = {...seen, drift, source: sourceDigest(source), ...(unwanted && {unwanted})}
      await statusWriter.write({kind: 'deployed', ...observed}, memory)
      return {plan, hasRun, due: Date.now() + context.driftWatcher.due(name)}
    }
  }
  return {plan, hasRun: false}
}

const WAIT_FOR_RUN_MS = 14_400_000

interface SnapshotRequest {
  readonly target: string
  readonly make: () => StatusSnapshot['read']
}

/** Returns the snapshot of an earlier reconciliation with the same target, or creates one. */
function reuseSnapshot(
  name: string,
  {snapshots}: ClusterConnection,
  {target, make}: SnapshotRequest,
): StatusSnapshot {
  const earlier = snapshots.get(name)
  const snapshot = earlier?.target === target ? earlier : {target, read: make()}
  snapshots.set(name, snapshot)
  return snapshot
}

interface PlanRun {
  readonly planned: Planned
  readonly change: PlannedChange
  readonly releases: Supplied['final']['releases']
  readonly environment: EnvironmentObject
}

/** Runs a plan through its gates, and writes its progress to the status. */
async function runPlan(
  {planned: decided, change, releases, environment}: PlanRun,
  {cluster, helm, killedTargets}: ClusterConnection,
  {statusWriter, interruption, heartbeat, dispatcher, onGate}: ReconcileContext,
): Promise<void> {
  const {name} = environment.metadata
  const retried = requestedRetry(environment.metadata)
  await using ready = await change.ready({cluster, helm})
  const planned = {...decided, notes: ready.notes}
  const account = {verb: 'deploy', scope: {names: [], install: true}}
  const dispatch: DispatchTask | undefined =
    dispatcher &&
    ((task, {run, controls}) => {
      const dispatched = {environment: environment.metadata.name, run, task: task as DeployTask}
      const section = planned.parts?.get(releaseName(task.action.release))?.section
      return dispatcher.dispatch(dispatched, {
        plan: planned.digest,
        section,
        controls,
        stop: interruption.stop,
      })
    })
  // The default depends on the memory of this process, but workers run helm.
  const concurrency = dispatcher && MAX_DISPATCHED_TASKS
  const charts = new Map(planned.plan.actions.map(({release, chart}) => [release, chart.name]))
  const choices = {concurrency, failFast: false, noWait: false, interruption, account, dispatch}
  const events = await ready.run({...choices, isOperator: true})
  await statusWriter.write({kind: 'running', planned, run: NO_RUN}, {begun: planned.target, retried})
  const {run, failure} = await followRun(events, {
    interruption,
    heartbeat,
    longestActionMs: findLongestActionMs(releases.values()),
    onState: (state) => statusWriter.writeDebounced({kind: 'running', planned, run: state}),
    onGate: (release, result, seconds) => onGate(charts.get(release)!, result, seconds),
    mayRetry() {
      const isFirst = killedTargets.get(name) !== planned.target
      killedTargets.set(name, planned.target)
      return isFirst
    },
  })
  // A failure caused by an unreachable cluster is not recorded as failed inputs: this call throws then.
  if (failure !== undefined) await cluster.apiServer.identity()
  if (failure === undefined) {
    killedTargets.delete(name)
    // The next reconciliation resumes an interrupted run if the inputs are the same.
    const inProgress = run.finished?.outcome === 'succeeded' ? undefined : planned.target
    const usedApproval = inProgress === undefined ? usedApprovalOf(environment) : {}
    const memory = {...usedApproval, begun: inProgress, retried, failed: undefined, run: run.run}
    return statusWriter.write({kind: 'running', planned, run}, memory)
  }
  await statusWriter.write(
    {kind: 'running', planned, run},
    {begun: undefined, retried, failed: {inputs: planned.target, message: failure}, run: run.run},
  )
}

/** Returns the approval as used: if the same plan is needed again, it needs another approval. */
function usedApprovalOf({spec, status}: EnvironmentObject): Pick<EnvironmentStatus, 'approved'> {
  const approved = spec.approval?.plan ?? status?.approved
  return approved === undefined ? {} : {approved}
}

const MAX_DISPATCHED_TASKS = 8

import type {Plan} from '../plan/plan.ts'
import {releaseName} from '../release.ts'
import {NO_RUN} from '../run/run-state.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../run/task.ts'
import {type PlannedChange, planChange} from '../verbs/change/planned-change.ts'
import type {Hand} from '../verbs/change/start-run.ts'
import {statusReader} from '../verbs/observation/status.ts'
import type {Supplied} from '../verbs/secrets/supply-secrets.ts'
import {readAwaited, sourceDigest} from './after.ts'
import type {DeployTask} from './children/handed-task.ts'
import {decide, type Planned, planDigest, retryOf, targetDigest} from './decide.ts'
import {driftPorts} from './drift-watch.ts'
import {followRun} from './follow-run.ts'
import type {EnvironmentObject, EnvironmentStatus} from './kinds/environment-kind.ts'
import type {Pass} from './pass.ts'
import {keepFinalizer, planUnwanted, removeApproved} from './removal.ts'
import type {Look, Site} from './sites.ts'
import {inputsDigest, readSource} from './source.ts'
import {nextStage, stopsOf} from './stops.ts'

/** What a pass leaves: the plan that it made, and whether it was run, so that another pass sees what came of it. */
export interface Passed {
  readonly plan: Plan
  readonly hasRun: boolean
  /** When something may be done though nothing is seen to change, in milliseconds since the epoch. */
  readonly due?: number | undefined
}

/** One pass: reads the inputs, plans, and runs the plan if that is decided. Throws what a later pass may not meet. */
export async function reconcile(environment: EnvironmentObject, site: Site, pass: Pass): Promise<Passed> {
  const {telling, quietFor} = pass
  const {cluster} = site
  const {name} = environment.metadata
  const source = await readSource(environment, pass.hub)
  telling.remember({inputs: inputsDigest(source, retryOf(environment.metadata))})
  const supplied = await site.open(name, source)
  const prepared = supplied.planned
  const scope = {names: [], install: true}
  // Another run that is at work is waited for, however long that takes.
  const say = () => quietFor(WAITING)
  const whole = await planChange(supplied, cluster, {scope, waits: true, say})
  const {plan} = whole
  const stage = nextStage(plan, stopsOf(environment.spec.approval?.after, prepared))
  const change = whole.part(stage.plan)
  const {parts} = prepared.environment
  const target = targetDigest(whole.settled, stage.until)
  const planned = {plan, stage, digest: planDigest(stage.plan, environment.status?.approved), target, parts}
  const decision = decide(planned, environment)
  const now = Date.now()
  const awaited =
    decision.kind === 'run' && decision.begins ? await readAwaited(environment, pass.hub, now) : undefined
  if (decision.kind === 'run' && !awaited) {
    await runPlan({planned, change, releases: supplied.settled.releases, environment}, site, pass)
    return {plan, hasRun: true}
  }
  const subject = {owner: prepared.environment.name, prepared: supplied.settled, names: []}
  const {read} = lookOf(name, site, {target: planned.target, make: () => statusReader(subject, cluster)})
  const releases = (await read()).releases.filter(({wanted}) => wanted)
  if (awaited) {
    await telling.tell({kind: 'waiting', planned, awaited, releases})
    return {plan, hasRun: false, due: awaited.until}
  }
  switch (decision.kind) {
    case 'unapproved':
      await telling.tell({kind: 'unapproved', planned, actions: decision.actions, releases})
      break
    case 'held':
      await telling.tell({kind: 'held', planned, failure: decision.failure, releases})
      break
    case 'idle': {
      await keepFinalizer(environment, pass.hub)
      await change.keepSecrets()
      const unwanted = await planUnwanted(plan, prepared.environment, site)
      const seen = {planned, releases}
      const hasRun =
        unwanted !== undefined && (await removeApproved(unwanted, seen, {environment, site, pass}))
      if (hasRun) return {plan, hasRun}
      const drift = await pass.drifts.look(environment, prepared, driftPorts(cluster))
      const failed = environment.status?.failed
      const memory = {
        deployed: planned.target,
        failed: failed !== undefined && failed.inputs === unwanted?.digest ? failed : undefined,
        begun: undefined,
        ...(environment.status?.begun !== undefined && spentApproval(environment)),
      }
      const told = {...seen, drift, source: sourceDigest(source), ...(unwanted && {unwanted})}
      await telling.tell({kind: 'deployed', ...told}, memory)
      return {plan, hasRun, due: Date.now() + pass.drifts.due(name)}
    }
  }
  return {plan, hasRun: false}
}

const WAITING = 14_400_000

interface Sought {
  readonly target: string
  readonly make: () => Look['read']
}

/** Returns the look of an earlier pass at the same target, or makes one. */
function lookOf(name: string, {looks}: Site, {target, make}: Sought): Look {
  const known = looks.get(name)
  const look = known?.target === target ? known : {target, read: make()}
  looks.set(name, look)
  return look
}

interface Work {
  readonly planned: Planned
  readonly change: PlannedChange
  readonly releases: Supplied['settled']['releases']
  readonly environment: EnvironmentObject
}

/** Runs a plan through its gates, and tells how far it is. */
async function runPlan(
  {planned: decided, change, releases, environment}: Work,
  {cluster, helm, killed}: Site,
  {telling, interruption, quietFor, orders, onGate}: Pass,
): Promise<void> {
  const {name} = environment.metadata
  const retried = retryOf(environment.metadata)
  await using ready = await change.ready({cluster, helm})
  const planned = {...decided, notes: ready.notes}
  const account = {verb: 'deploy', scope: {names: [], install: true}}
  const hand: Hand | undefined =
    orders &&
    ((task, {run, controls}) => {
      const handed = {environment: environment.metadata.name, run, task: task as DeployTask}
      const section = planned.parts?.get(releaseName(task.action.release))?.section
      return orders.give(handed, {plan: planned.digest, section, controls, stop: interruption.stop})
    })
  // The memory of this process says nothing of that of its children.
  const concurrency = orders && CHILDREN_AT_WORK
  const charts = new Map(planned.plan.actions.map(({release, chart}) => [release, chart.name]))
  const choices = {concurrency, failFast: false, noWait: false, interruption, account, hand}
  const events = await ready.run({...choices, isOperator: true})
  await telling.tell({kind: 'running', planned, run: NO_RUN}, {begun: planned.target, retried})
  const {run, failure} = await followRun(events, {
    interruption,
    quietFor,
    longest: longestAction(releases.values()),
    onState: (state) => telling.tellSoon({kind: 'running', planned, run: state}),
    onGate: (release, result, seconds) => onGate(charts.get(release)!, result, seconds),
    mayRepeat() {
      const isFirst = killed.get(name) !== planned.target
      killed.set(name, planned.target)
      return isFirst
    },
  })
  // What has failed because the cluster went away is not held against the inputs: this throws then.
  if (failure !== undefined) await cluster.apiServer.identity()
  if (failure === undefined) {
    killed.delete(name)
    // What was interrupted goes on with the next pass, if the inputs are the same.
    const begun = run.finished?.outcome === 'succeeded' ? undefined : planned.target
    const spent = begun === undefined ? spentApproval(environment) : {}
    const memory = {...spent, begun, retried, failed: undefined, run: run.run}
    return telling.tell({kind: 'running', planned, run}, memory)
  }
  await telling.tell(
    {kind: 'running', planned, run},
    {begun: undefined, retried, failed: {inputs: planned.target, message: failure}, run: run.run},
  )
}

/** What is approved is done: the same plan, should it come again, needs another approval. */
function spentApproval({spec, status}: EnvironmentObject): Pick<EnvironmentStatus, 'approved'> {
  const approved = spec.approval?.plan ?? status?.approved
  return approved === undefined ? {} : {approved}
}

const CHILDREN_AT_WORK = 8

/** The longest time that an action may take, in milliseconds: so long a gate may say nothing. */
function longestAction(releases: Iterable<{readonly timeoutSeconds?: number | undefined}>): number {
  const each = [...releases].map(({timeoutSeconds = DEFAULT_TIMEOUT_SECONDS}) => timeoutSeconds * 1000)
  return Math.max(DEFAULT_TIMEOUT_SECONDS * 1000, ...each)
}

import type {Cluster} from '../cluster/cluster.ts'
import type {Helm} from '../helm/helm.ts'
import type {Plan} from '../plan/plan.ts'
import type {Interruption} from '../run/interruption.ts'
import type {RunOutcome} from '../run/observer.ts'
import {NO_RUN, nextState, releasesIn} from '../run/run-state.ts'
import {readyDeployment} from '../verbs/change/deploy.ts'
import {settledPlan} from '../verbs/change/in-turn.ts'
import {statusReader} from '../verbs/observation/status.ts'
import type {ObservedPlan} from '../verbs/plan.ts'
import {keepSecrets, withInputs} from '../verbs/secrets/keep-secrets.ts'
import {expectStated} from '../verbs/secrets/living-secrets.ts'
import type {Supplied} from '../verbs/secrets/supply-secrets.ts'
import {decide, type Planned, planDigest, retryOf, targetDigest} from './decide.ts'
import type {Phase} from './findings.ts'
import type {EnvironmentObject, EnvironmentStatus} from './kinds/environment-kind.ts'
import {readSource, type SourceText} from './source.ts'

export interface OperatorPorts {
  readonly cluster: Cluster
  readonly helm: Helm
  /** Reads an environment file and prepares it with the overrides and the secrets that the cluster keeps. */
  readonly open: (name: string, source: SourceText) => Promise<Supplied>
}

/** What one pass over an Environment writes on the way. */
export interface Telling {
  /** Writes how far the Environment is, with what is to be remembered of it. */
  tell(phase: Phase, memory?: Memory): Promise<void>
  /** As `tell`, but soon: what comes meanwhile is told instead. */
  tellSoon(phase: Phase): void
}

/** What later passes have to know. */
export type Memory = Pick<EnvironmentStatus, 'begun' | 'failed' | 'deployed' | 'retried' | 'run'>

/**
 * One pass: reads the inputs, plans, and runs the plan if that is decided. Returns the last plan. Throws what a later pass
 * may not meet.
 */
export async function reconcile(
  environment: EnvironmentObject,
  ports: OperatorPorts,
  {telling, interruption}: {readonly telling: Telling; readonly interruption: Interruption},
): Promise<Plan> {
  const {name} = environment.metadata
  const supplied = await ports.open(name, await readSource(environment, ports.cluster.objects))
  const prepared = supplied.planned
  const scope = {names: [], install: true}
  const observed = await settledPlan(prepared, ports.cluster, {scope, waits: true, say: () => {}})
  const {plan} = observed
  const settled = withInputs(plan, supplied.settled)
  const planned = {plan, digest: planDigest(plan), target: targetDigest(settled)}
  const decision = decide(planned, environment)
  switch (decision.kind) {
    case 'unapproved':
      await telling.tell({kind: 'unapproved', planned, actions: decision.actions})
      return plan
    case 'held':
      await telling.tell({kind: 'held', planned, failure: decision.failure})
      return plan
    case 'run': {
      const work = {planned, observed, supplied, settled, environment}
      const outcome = await runPlan(work, ports, {telling, interruption})
      // What was changed is seen by the next pass.
      return outcome === 'succeeded' ? reconcile(environment, ports, {telling, interruption}) : plan
    }
    case 'idle': {
      const subject = {owner: prepared.environment.name, prepared: supplied.settled, names: []}
      const {releases} = await statusReader(subject, ports.cluster)()
      const wanted = releases.filter((release) => release.wanted)
      const memory = {deployed: planned.target, failed: undefined, begun: undefined}
      await telling.tell({kind: 'deployed', planned, releases: wanted}, memory)
      return plan
    }
  }
}

interface Work {
  readonly planned: Planned
  readonly observed: ObservedPlan
  readonly supplied: Supplied
  readonly settled: Parameters<typeof readyDeployment>[1]
  readonly environment: EnvironmentObject
}

/** Runs a plan through its gates, and tells how far it is. */
async function runPlan(
  {planned, observed, supplied, settled, environment}: Work,
  {cluster, helm}: OperatorPorts,
  {telling, interruption}: {readonly telling: Telling; readonly interruption: Interruption},
): Promise<RunOutcome | undefined> {
  const retried = retryOf(environment.metadata)
  expectStated(observed.living)
  const deployment = await readyDeployment(supplied.settled, settled, {cluster, helm})
  await using closing = new AsyncDisposableStack()
  closing.defer(() => deployment.close())
  await keepSecrets(supplied, settled, cluster)
  const memory = {begun: planned.target, retried}
  await telling.tell({kind: 'running', planned, run: NO_RUN}, memory)
  let run = NO_RUN
  const account = {verb: 'deploy', scope: {names: [], install: true}}
  const choices = {concurrency: undefined, failFast: false, noWait: false, interruption, account}
  for await (const event of deployment.run({...choices, isOperator: true})) {
    run = nextState(run, event)
    telling.tellSoon({kind: 'running', planned, run})
  }
  const outcome = run.finished?.outcome
  const [failed] = releasesIn(run, 'failed')
  if (!failed) {
    // What was interrupted goes on with the next pass, if the inputs are the same.
    const begun = outcome === 'succeeded' ? undefined : planned.target
    await telling.tell({kind: 'running', planned, run}, {begun, retried, failed: undefined, run: run.run})
    return outcome
  }
  const failure = `${failed.release} has failed: ${failed.progress.error.message}`
  await telling.tell(
    {kind: 'held', planned, failure, run},
    {begun: undefined, retried, failed: {inputs: planned.target, message: failure}, run: run.run},
  )
  return outcome
}

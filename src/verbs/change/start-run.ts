import {randomBytes} from 'node:crypto'
import {hostname} from 'node:os'
import {KkError} from '../../base/errors.ts'
import type {Helm} from '../../helm/helm.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {OWN_OPERATOR} from '../../kubernetes/lease/driver.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import {assessLease} from '../../kubernetes/lease/view.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {RunRecord, RunRelease} from '../../kubernetes/records/runs.ts'
import {installationOf} from '../../plan/installation.ts'
import type {Plan} from '../../plan/plan.ts'
import {lastGated} from '../../plan/rollback/ways.ts'
import {recordedMask} from '../../prepare/environment-mask.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import type {Redact} from '../../redact/redact.ts'
import {clearRecheckNotes} from '../../run/dependents-checked.ts'
import type {RunEvent} from '../../run/events.ts'
import {newAgreement} from '../../run/execute/agreement.ts'
import {execute} from '../../run/execute/execute.ts'
import {systemClock} from '../../run/execute/execution.ts'
import {newHold} from '../../run/execute/lease.ts'
import type {Interruption} from '../../run/interruption.ts'
import {openJournal} from '../../run/journal.ts'
import type {RunObserver} from '../../run/observer.ts'
import {recordRun} from '../../run/record-run.ts'
import {defaultConcurrency, run} from '../../run/run.ts'
import {type StartCondition, takesLease} from '../../run/schedule/schedule.ts'
import type {Controls, RemovalWork, Task} from '../../run/task.ts'
import {stateDirectory} from '../../state/directories.ts'
import {identifyProcess} from '../../state/processes/process-identity.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'

/** The data of a run's record in addition to its plan. */
export interface RunAccount {
  readonly verb: string
  readonly scope: RunRecord['scope']
  /** The reason that the user gave. */
  readonly message?: string | undefined
  /** The run that this one resumes, or undoes. */
  readonly of?: string | undefined
  /** The id of the run, if it already has one. Defaults to a new one. */
  readonly id?: string | undefined
  /** The user who requested it, if another user runs kk: `user@host`. */
  readonly who?: string | undefined
}

export interface RunChoices {
  readonly concurrency: number | undefined
  readonly startCondition?: StartCondition | undefined
  readonly failFast: boolean
  /** Whether to fail at once if another process holds a release, instead of waiting. */
  readonly noWait: boolean
  readonly interruption: Interruption
  readonly account: RunAccount
  /** Whether the operator runs it, which may change the environments that it manages; all others may not. */
  readonly isOperator?: boolean
  /** Dispatches a task to another process. Defaults to running it in this process. */
  readonly dispatch?: DispatchTask | undefined
}

/** Runs a task; same contract as `execute`. */
export type DispatchTask = (
  task: Task,
  options: {readonly run: string; readonly controls: Controls},
) => Promise<{readonly revision: number}>

export interface RunPorts {
  readonly cluster: Cluster
  readonly helm: Helm
}

export interface StartOptions extends RunChoices {
  readonly plan: Plan
  readonly ports: RunPorts
  /** The tasks of the plan: one for each action with work to do. */
  readonly tasks: readonly Task[]
  /** Masks the secrets of the environment. Defaults to those in its records. */
  readonly mask?: Redact
  /** Observers that are awaited at the end of the run, after its record and its journal. */
  readonly observers?: readonly RunObserver[]
  /** Whether to write no record to the cluster: a run that changes nothing is not part of its history. */
  readonly unrecorded?: boolean
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Runs a plan with a journal on this machine and a record in the cluster. Throws, before the first change,
 * `KK_FILE` if the journal cannot be written, the cluster's error if the record cannot be written,
 * `KK_OPERATED` if the operator manages the environment, and `KK_HELD` if another process holds a release and
 * `noWait` is set.
 */
export async function* startRun(options: StartOptions): AsyncGenerator<RunEvent> {
  const {plan, tasks, ports, account, noWait, observers = [], env = process.env} = options
  const {cluster} = ports
  // A run without a record changes nothing.
  if (!options.isOperator && !options.unrecorded) await expectNotOperated(cluster.leases, plan)
  if (noWait) await expectFree(plan, cluster)
  const {id = newRunId(), who = whoAmI()} = account
  const record = options.unrecorded ? undefined : await newRecord(id, who, options)
  await using journal = await openJournal({directory: stateDirectory(env), run: id})
  const mask = options.mask ?? (await recordedMask(cluster, plan))
  const {records} = cluster
  const recorder = record && (await recordRun({record, records: cluster.runs, revisions: records.revisions}))
  await journal.note({
    type: 'run-started',
    run: id,
    environment: plan.environment,
    verb: account.verb,
    context: plan.cluster.context,
    actions: tasks.map(({action: {release, kind, revision, inputs}}) => ({release, kind, revision, inputs})),
  })
  const holder = `${who} (process ${process.pid}, run ${id})`
  const waits = !noWait
  const tools = {
    ...ports,
    environment: plan.environment,
    run: id,
    holder,
    hold: newHold({cluster, holder, actions: plan.actions, waits}),
    waits,
    agreement: newAgreement(plan.actions),
    clock: systemClock,
    journal,
    mask,
  }
  const taskByRelease = new Map(tasks.map((task) => [task.action.release, task]))
  yield* run({
    run: id,
    plan,
    perform: ({release}, controls) => {
      const task = taskByRelease.get(release)!
      return options.dispatch?.(task, {run: id, controls}) ?? execute(task, {tools, controls})
    },
    concurrency: options.concurrency ?? defaultConcurrency(process.availableMemory()),
    startCondition: options.startCondition,
    failFast: options.failFast,
    interruption: options.interruption,
    observers: [
      clearRecheckNotes({plan, cluster}),
      ...(recorder ? [recorder] : []),
      journal.observer,
      ...observers,
    ],
  })
}

async function newRecord(id: string, who: string, options: StartOptions): Promise<RunRecord> {
  const {plan, tasks, ports, account} = options
  const {verb, scope, message, of} = account
  const releases = tasks.map(({action}) => action.release)
  const seen = await visibleRevisions(ports.cluster, {releases})
  const [gated, last] = [lastGated(seen.revisions), lastRevisions(seen.revisions)]
  const host = hostname()
  const self = await identifyProcess(process.pid)
  const replacing = new Set(
    plan.forecast?.filter(({replacesImages}) => replacesImages).map(({release}) => release),
  )
  return {
    id,
    environment: plan.environment,
    file: plan.file,
    verb,
    scope,
    who,
    process: {host, pid: process.pid, ...(self?.started !== undefined && {started: self.started})},
    ...(message !== undefined && {message}),
    ...(of !== undefined && {of}),
    startedAt: new Date().toISOString(),
    outcome: 'running',
    releases: tasks.map((task) => ({
      release: task.action.release,
      kind: task.kind,
      installation: installationOf(last.get(task.action.release), id),
      before: task.action.revision,
      gatedBefore: gated.get(task.action.release) ?? 0,
      inputs: task.action.inputs,
      ...(replacing.has(task.action.release) && {replacesImages: true}),
      ...(task.kind === 'rollback' && {target: task.action.target}),
      ...(task.kind === 'remove' && claimsToDelete(task.work)),
      outcome: 'waiting',
    })),
  }
}

/** Returns the claims for the record: a repeated removal finds nothing else of a release that is gone. */
function claimsToDelete({claims}: RemovalWork): Pick<RunRelease, 'claims'> {
  if (claims.length === 0) return {}
  return {claims: claims.map(({namespace, name, uid}) => ({namespace, name, uid}))}
}

/** Returns an id that sorts by time: `20261121-083000-3f9a`. */
export function newRunId(): string {
  const [date = '', time = ''] = new Date().toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${randomBytes(2).toString('hex')}`
}

/**
 * Throws `KK_OPERATED` if the operator manages the environment, or one that hands releases over: it would
 * revert other changes.
 */
export async function expectNotOperated(
  leases: Leases,
  {environment, actions}: Pick<Plan, 'environment' | 'actions'>,
): Promise<void> {
  const owners = actions.flatMap((action) => ('from' in action && action.from) || [])
  for (const each of new Set([environment, ...owners])) {
    const driver = await leases.driver(each)
    if (driver !== undefined) throw operated(each, driver)
  }
}

function operated(environment: string, driver: string): KkError {
  const over = `take over with kk operator pause ${environment}, until kk operator resume`
  return new KkError('KK_OPERATED', `${environment} is managed by ${driver}; nothing was changed`, {
    hint:
      driver === OWN_OPERATOR
        ? `deploy through it: kk deploy, or kk upgrade, with --via operator; or ${over}`
        : `${over}, in the cluster of that operator`,
  })
}

/**
 * Checks before the first change whether other processes hold releases of the plan. Throws `KK_HELD` with all
 * of them.
 */
async function expectFree({actions}: Plan, cluster: {readonly leases: Leases}): Promise<void> {
  const changing = actions.filter(({kind}) => takesLease(kind)).map(({release}) => release)
  const leases = new Map((await cluster.leases.list()).map((lease) => [lease.release, lease]))
  const list = changing.flatMap((release) => {
    const lease = leases.get(release)
    if (lease?.holder === undefined) return []
    const {isGone, by} = assessLease(lease)
    return isGone ? [] : [`${release} is held by ${by}`]
  })
  if (list.length === 0) return
  throw new KkError('KK_HELD', `${list.join('; ')}; nothing was changed`, {
    hint: 'wait until that has ended; without --no-wait kk waits for it, and takes over releases of killed processes',
  })
}

import type {ExitCode} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {RollbackPlan} from '../../plan/rollback/make-rollback-plan.ts'
import {releaseName} from '../../release.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {timedTasks} from '../../run/task.ts'
import {expectConsent, hookDataLines, hookDataOfRollback} from '../../verbs/change/hook-data.ts'
import {refuseDowngrade} from '../../verbs/change/planned-change.ts'
import {planRollback, type RollbackRequest} from '../../verbs/change/rollback.ts'
import {startRun} from '../../verbs/change/start-run.ts'
import {requireConfirmation} from '../console.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {dataLossPrompt} from './confirm-removal.ts'
import type {DataFlags, OnFailureFlags, RunFlags} from './flags.ts'
import {statusCommand, targetArguments} from './repeat-command.ts'
import {
  notOperatedCheck,
  planInTurn,
  printResult,
  type RunContext,
  runChoices,
  type ShownRun,
  showPlan,
  showRun,
} from './run.ts'

/** What to roll back, and its environment. */
export interface Subject {
  readonly environment: string
  readonly file: string
  readonly request: RollbackRequest
}

/** Plans a rollback, shows it, asks for confirmation, rolls back and reports. */
export async function rollBackTo(subject: Subject, options: RollBackOptions): Promise<ExitCode> {
  const {flags, cluster} = options
  const {environment, file} = subject
  const rollbackPlan = await planInTurn(cluster, {environment, flags}, async () =>
    planRollback(cluster, {
      environment,
      file,
      request: await refreshRequest(cluster, subject.request),
      settings: options.environment,
      keepSchema: flags['keep-schema'] ?? false,
    }),
  )
  const data = await hookDataOfRollback(cluster, rollbackPlan)
  const notes = [...(rollbackPlan.notes ?? []), ...hookDataLines(data)]
  const planned = notes.length > 0 ? {...rollbackPlan, notes} : rollbackPlan
  const dryExit = await showPlan(planned, options, notOperatedCheck(cluster.leases, planned))
  if (dryExit !== undefined) return dryExit
  await expectConsent(data, dataLossPrompt(flags['confirm-data']))
  if (!flags.yes) {
    const question = `roll these releases back on ${cluster.context}?`
    await requireConfirmation(question, 'check the plan above, then pass --yes')
  }
  const {exit, state} = await runRollback(planned, options)
  printResult(runDocument(state), options)
  return exit
}

/** Reads the record of the run again: after waiting for the run, it has changed. */
async function refreshRequest(cluster: Cluster, request: RollbackRequest): Promise<RollbackRequest> {
  if (request.kind === 'release') return request
  return {...request, run: (await cluster.runs.read(request.run.id)) ?? request.run}
}

export interface RollBackOptions extends RunContext {
  readonly cluster: Cluster
  readonly flags: RunFlags & DataFlags & Pick<OnFailureFlags, 'keep-schema'>
  /** The environment with its timeouts, if there is a file. */
  readonly environment: Environment | undefined
  /** The run to undo. */
  readonly of: string | undefined
}

/** Runs a plan of rollbacks. Throws `KK_HELM_DOWNGRADE` before anything is changed. */
export async function runRollback(plan: RollbackPlan, options: RollBackOptions): Promise<ShownRun> {
  const {cluster, flags, environment, of} = options
  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  await refuseDowngrade(plan, ports)
  const names = plan.actions.filter(({kind}) => kind === 'rollback').map(({release}) => releaseName(release))
  const choices = runChoices(flags, {verb: 'rollback', scope: {names, install: false}, of})
  const events = startRun({
    ...choices,
    plan,
    ports,
    tasks: timedTasks(
      plan.actions,
      (release) => environment?.releases.get(releaseName(release))?.timeoutSeconds,
    ),
  })
  const status = statusCommand({name: plan.environment, file: plan.file}, flags)
  const retryCommand = of === undefined ? status : `kk rollback ${of} ${targetArguments(plan.file, flags)}`
  return showRun(events, {...options, choices, commands: {retryCommand, status}})
}

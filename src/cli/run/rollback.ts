import type {ExitCode} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {RollbackPlan} from '../../plan/rollback/make-rollback-plan.ts'
import {releaseName} from '../../release.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {timedTasks} from '../../run/task.ts'
import {expectGivenUp, hookDataLines, hookDataOfRollback} from '../../verbs/change/hook-data.ts'
import {refuseDowngrade} from '../../verbs/change/planned-change.ts'
import {planRollback, type RollbackRequest} from '../../verbs/change/rollback.ts'
import {startRun} from '../../verbs/change/start-run.ts'
import {requireConfirmation} from '../console.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {asksForData} from './confirm-removal.ts'
import type {DataFlags, OnFailureFlags, RunFlags} from './flags.ts'
import {
  planInTurn,
  printResult,
  type RunContext,
  refusingOperated,
  runChoices,
  type ShownRun,
  showPlan,
  showRun,
} from './run.ts'
import {placeOf, statusCommand} from './same-again.ts'

/** What is rolled back, and the environment that it belongs to. */
export interface Subject {
  readonly environment: string
  readonly file: string
  readonly request: RollbackRequest
}

/** Plans the way back, shows it, asks, rolls back and reports. */
export async function rollBackTo(subject: Subject, options: RollBackOptions): Promise<ExitCode> {
  const {flags, cluster} = options
  const {environment, file} = subject
  const found = await planInTurn(cluster, {environment, flags}, async () =>
    planRollback(cluster, {
      environment,
      file,
      request: await requestNow(cluster, subject.request),
      settings: options.environment,
      keepSchema: flags['keep-schema'] ?? false,
    }),
  )
  const data = await hookDataOfRollback(cluster, found)
  const notes = [...(found.notes ?? []), ...hookDataLines(data)]
  const planned = notes.length > 0 ? {...found, notes} : found
  const end = await showPlan(planned, options, refusingOperated(cluster.leases, planned))
  if (end !== undefined) return end
  await expectGivenUp(data, asksForData(flags['confirm-data']))
  if (!flags.yes) {
    const question = `roll these releases back on ${cluster.context}?`
    await requireConfirmation(question, 'look at the plan above, then pass --yes')
  }
  const {exit, state} = await runRollback(planned, options)
  printResult(runDocument(state), options)
  return exit
}

/** A run that had to be waited for has done more since it was looked up. */
async function requestNow(cluster: Cluster, request: RollbackRequest): Promise<RollbackRequest> {
  if (request.kind === 'release') return request
  return {...request, run: (await cluster.runs.read(request.run.id)) ?? request.run}
}

export interface RollBackOptions extends RunContext {
  readonly cluster: Cluster
  readonly flags: RunFlags & DataFlags & Pick<OnFailureFlags, 'keep-schema'>
  /** The environment with its timeouts, where there is a file. */
  readonly environment: Environment | undefined
  /** The run that is undone. */
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
  const again = of === undefined ? status : `kk rollback ${of} ${placeOf(plan.file, flags)}`
  return showRun(events, {...options, choices, commands: {again, status}})
}

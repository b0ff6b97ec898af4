import type {ExitCode} from '../../base/errors.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Plan} from '../../plan/plan.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {type RunDocument, runDocument} from '../../report/run/run-json.ts'
import {startRun} from '../../verbs/change/start-run.ts'
import {planTests, testTasks} from '../../verbs/observation/test.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {statusCommand, targetArguments} from './repeat-command.ts'
import {openReportFiles} from './report-files.ts'
import {type RunContext, runChoices, type ShownRun, showRun} from './run.ts'

interface TestOptions extends RunContext {
  readonly prepared: Pick<Prepared, 'environment'>
  readonly cluster: Cluster
  readonly names: readonly string[]
  /** The arguments of `kk test` before the file. */
  readonly words: readonly string[]
  /** The timeout of the tests of one release. Defaults to that of its deployment. */
  readonly timeoutSeconds?: number | undefined
}

/** Runs planned tests and shows them. They are no part of the history, because no release changes. */
export async function runTests(
  plan: Plan<'test'>,
  {prepared, cluster, names, words, timeoutSeconds, ...context}: TestOptions,
): Promise<ShownRun> {
  const {flags} = context
  const {environment} = prepared
  const choices = runChoices(flags, {verb: 'test', scope: {names, install: false}})
  const events = startRun({
    ...choices,
    plan,
    ports: {cluster, helm: await openUsersHelm(flags, cluster)},
    tasks: testTasks(plan, environment, timeoutSeconds),
    unrecorded: true,
  })
  const commands = {
    retryCommand: ['kk test', ...words, targetArguments(environment.file, flags)].join(' '),
    status: statusCommand({name: plan.environment, file: environment.file}, flags),
  }
  return showRun(events, {...context, choices, commands})
}

/** The end of a command that tests after its own run: a key of its result, and its exit code if not 0. */
export interface TestsAfter {
  readonly exit: ExitCode
  readonly document: {readonly tests?: RunDocument}
}

/** Runs all tests of the environment after a change that succeeded. */
export async function testAfter(
  prepared: Prepared,
  {cluster, flags, console}: Pick<TestOptions, 'cluster' | 'flags' | 'console'>,
): Promise<TestsAfter> {
  const plan = await planTests(prepared, cluster, {names: []})
  console.say(planText(plan, console.palette('stderr')))
  if (plan.actions.length === 0) return {exit: 0, document: {}}
  const reports = await openReportFiles(flags.report, 'tests')
  const shown = await runTests(plan, {prepared, cluster, flags, console, reports, names: [], words: []})
  return {exit: shown.exit, document: {tests: runDocument(shown.state)}}
}

/** The note on a plan whose run is followed by tests. */
export const TESTS_FOLLOW = 'after a run that succeeds, the tests of all releases are run, as by kk test'

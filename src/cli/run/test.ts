import type {Cluster} from '../../cluster/cluster.ts'
import {seconds, TIME_TITLE} from '../../environment/duration.ts'
import {type ExitCode, KkError} from '../../errors.ts'
import {hasChanges, type Plan} from '../../plan/plan.ts'
import {releaseName} from '../../release.ts'
import {documentText} from '../../report/document.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {timedTasks} from '../../run/task.ts'
import {startRun} from '../../verbs/change/start-run.ts'
import {planTests} from '../../verbs/observation/test.ts'
import type {Prepared} from '../../verbs/preparation/prepare.ts'
import {type Console, tell} from '../console.ts'
import {openChosenCluster, openUsersHelm} from '../open/cluster.ts'
import {type EnvironmentFlags, openPrepared} from '../open/open.ts'
import {openReportFiles, reportNothingDone} from './report-files.ts'
import {placeOf, printNothingDone, printPlan, type RunFlags, showRun} from './run.ts'

export interface TestFlags extends EnvironmentFlags, RunFlags {
  readonly 'dry-run': boolean
  readonly timeout?: string | undefined
}

/** Runs the tests of releases, in the order of who requires whom, and reports. Asks nothing: it changes no release. */
export async function test(flags: TestFlags, argv: readonly string[], console: Console): Promise<ExitCode> {
  const timeout = timeoutSeconds(flags.timeout)
  const reports = await openReportFiles(flags.report)
  const {prepared, releases: names} = await openPrepared(flags, argv)
  const cluster = await openChosenCluster(flags, prepared.environment, {start: false, say: () => undefined})
  try {
    const planned = await planTests(prepared, cluster, names)
    if (flags['dry-run']) {
      printPlan(planned, flags.output, console.level('stdout'))
      return 0
    }
    tell('stderr', planText(planned, console.palette('stderr')))
    if (!hasChanges(planned)) {
      printNothingDone(planned, flags.output)
      return await reportNothingDone(planned, reports, console)
    }
    const {state, exit} = await showRun(await testRun(planned, {prepared, cluster, flags, names, timeout}), {
      output: flags.output,
      console,
      reports,
      commands: commandsFor(prepared, names, flags),
    })
    if (flags.output === 'json' || flags.output === 'yaml')
      process.stdout.write(documentText({...runDocument(state), notes: planned.notes ?? []}, flags.output))
    return exit
  } finally {
    await cluster.close()
  }
}

interface Testing {
  readonly prepared: Prepared
  readonly cluster: Cluster
  readonly flags: TestFlags
  readonly names: readonly string[]
  /** Seconds for the tests of one release. */
  readonly timeout: number | undefined
}

async function testRun(
  plan: Plan<'test'>,
  {prepared, cluster, flags, names, timeout}: Testing,
): Promise<Parameters<typeof showRun>[0]> {
  const helm = await openUsersHelm(flags, cluster)
  const {releases} = prepared.environment
  return (interruption) =>
    startRun({
      plan,
      ports: {cluster, helm},
      tasks: timedTasks(
        plan.actions,
        (release) => timeout ?? releases.get(releaseName(release))?.timeoutSeconds,
      ),
      unrecorded: true,
      concurrency: flags.concurrency,
      failFast: flags['fail-fast'],
      noWait: flags['no-wait'],
      interruption,
      account: {verb: 'test', scope: {names, install: false}},
    })
}

function commandsFor({environment}: Prepared, names: readonly string[], flags: TestFlags) {
  const place = placeOf(environment.file, flags)
  return {again: ['kk test', ...names, place].join(' '), status: `kk status ${place}`}
}

function timeoutSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const found = seconds(text)
  if (found !== undefined) return found
  throw new KkError('KK_USAGE', `--timeout ${text}: expected ${TIME_TITLE}`, {
    hint: 'for example --timeout 5m',
  })
}

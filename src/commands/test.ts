import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  clusterFlags,
  environmentFlags,
  helmFlags,
  releasesArgument,
  timeoutFlag,
  timeoutSeconds,
} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {openPrepared} from '../cli/open/open.ts'
import {changeFlags, reportFlags, streamFlags} from '../cli/run/flags.ts'
import {openReportFiles} from '../cli/run/report-files.ts'
import {printResult, showPlan} from '../cli/run/run.ts'
import {runTests} from '../cli/run/tests.ts'
import {runDocument} from '../report/run/run-json.ts'
import {planTests, TEST_SCOPES} from '../verbs/observation/test.ts'

const {yes: _, message: __, ...runFlags} = changeFlags

export default class Test extends KkCommand {
  static override summary = 'Run the helm tests of releases, in dependency order.'
  static override description =
    'Runs the test hooks of the deployed charts; without names, of every release of the environment that has test hooks, and then those that use the whole cloud as a user does: token, image, network, server, volume, secret, stack. For a failed test, shows its pod and the last lines of its log, skips the tests of releases that require it, and exits 1. Needs no confirmation, because no release changes: helm only starts the pods and records their results.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk test environments/all-in-one.yaml --sandbox',
    'kk test environments/all-in-one.yaml keystone --sandbox --timeout 5m',
    'Only what a user does.\nkk test environments/all-in-one.yaml --sandbox --only user',
    'In a pipeline.\nkk test environments/all-in-one.yaml --sandbox --report junit=tests.xml',
  ]
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...runFlags,
    only: Flags.option({
      summary:
        'Run only the tests of single releases, or only those that use the whole cloud as a user does (default: both; with release names, only those of the releases).',
      options: TEST_SCOPES,
    })(),
    timeout: timeoutFlag('the tests of one release', 'the timeout of its deployment'),
    ...streamFlags,
    ...reportFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Test)
    const timeout = timeoutSeconds(flags.timeout)
    const context = {flags, console: this.console, reports: await openReportFiles(flags.report)}
    const {prepared, releases: names} = await openPrepared(flags, argv as string[])
    await using cluster = await openChosenCluster(flags, prepared.environment)
    const plan = await planTests(prepared, cluster, {names, only: flags.only})
    if ((await showPlan(plan, context)) !== undefined) return

    const words = [...names, ...(flags.only === undefined ? [] : [`--only ${flags.only}`])]
    const {state, exit} = await runTests(plan, {
      ...context,
      prepared,
      cluster,
      names,
      words,
      timeoutSeconds: timeout,
    })
    printResult({...runDocument(state), notes: plan.notes ?? []}, context)
    process.exitCode = exit
  }
}

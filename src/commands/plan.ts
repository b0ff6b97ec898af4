import {Flags} from '@oclif/core'
import {expectDirectoryOf, expectPlanName, savePlan} from '../cli/change/save-plan.ts'
import {
  clusterFlags,
  documentFlags,
  environmentFlags,
  helmFlags,
  releasesArgument,
  valueFlags,
} from '../cli/flags.ts'
import {openChosenCluster, openPrepared, openUsersHelm} from '../cli/open.ts'
import {KkCommand} from '../cli/program/command.ts'
import {placeOf} from '../cli/show/show-run.ts'
import {hasChanges} from '../plan/plan.ts'
import {diffText} from '../report/plan/diff-text.ts'
import {planDocument} from '../report/plan/plan-json.ts'
import {planText} from '../report/plan/plan-text.ts'
import {planDiff} from '../verbs/diff.ts'
import {observedPlan} from '../verbs/plan.ts'

export default class Plan extends KkCommand {
  static override summary = 'Show what a deploy would do, and why; change nothing.'
  static override description =
    'With releases named, the plan of "kk upgrade" for those. Exits 0; with --detailed-exitcode 4 when there is something to do.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> plan environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> plan environments/all-in-one.yaml keystone --sandbox --diff',
    '<%= config.bin %> plan environments/all-in-one.yaml --sandbox --output json --detailed-exitcode',
    {
      description: 'To be looked at, approved, and then done exactly so.',
      command: '<%= config.bin %> plan environments/all-in-one.yaml --sandbox --save plan.json',
    },
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...valueFlags,
    diff: Flags.boolean({
      summary: 'Show the difference of the manifests, with secret values masked.',
      exclusive: ['output'],
    }),
    save: Flags.string({
      summary: 'Save the plan, for kk apply; the file holds no values.',
      helpValue: 'FILE',
    }),
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when there is something to do.'}),
    ...documentFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Plan)
    if (flags.save !== undefined) {
      expectPlanName(flags.save)
      await expectDirectoryOf(flags.save)
    }
    const {prepared, releases} = await openPrepared(flags, argv as string[])
    const cluster = await openChosenCluster(flags, prepared.environment, {start: false, say: () => {}})
    try {
      const scope = {names: releases, install: releases.length === 0}
      const observed = await observedPlan(prepared, cluster, {...scope, showForeign: true})
      const planned = observed.plan
      this.document(flags.output, planDocument(planned), (palette) => planText(planned, palette))
      if (flags.diff) {
        const {diffs, redact} = await planDiff(prepared, planned, {
          cluster,
          helm: await openUsersHelm(flags, cluster),
        })
        this.print(`\n${diffText(diffs, {palette: this.palette('stdout'), redact})}`)
      }
      if (flags.save !== undefined) {
        await savePlan(flags.save, {prepared, observed, scope, values: flags.values ?? []})
        const again = flags.set === undefined ? '' : ', and the same --set again'
        this.say(`\nsaved; do exactly this with: kk apply ${placeOf(flags.save, flags)}${again}`)
      }
      if (flags['detailed-exitcode'] && hasChanges(planned)) process.exitCode = 4
    } finally {
      await cluster.close()
    }
  }
}

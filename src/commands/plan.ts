import {Flags} from '@oclif/core'
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
import {hasChanges} from '../plan/plan.ts'
import {diffText} from '../report/plan/diff-text.ts'
import {planDocument} from '../report/plan/plan-json.ts'
import {planText} from '../report/plan/plan-text.ts'
import {planDiff} from '../verbs/diff.ts'
import {plan} from '../verbs/plan.ts'

export default class Plan extends KkCommand {
  static override summary = 'Show what a deploy would do, and why; change nothing.'
  static override description =
    'With releases named, the plan of "kk upgrade" for those. Exits 0; with --detailed-exitcode 4 when there is something to do.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> plan environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> plan environments/all-in-one.yaml keystone --sandbox --diff',
    '<%= config.bin %> plan environments/all-in-one.yaml --sandbox --output json --detailed-exitcode',
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
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when there is something to do.'}),
    ...documentFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Plan)
    const {prepared, releases} = await openPrepared(flags, argv as string[])
    const cluster = await openChosenCluster(flags, prepared.environment, {start: false, say: () => {}})
    try {
      const planned = await plan(prepared, cluster, {names: releases, install: false})
      this.document(flags.output, planDocument(planned), (palette) => planText(planned, palette))
      if (flags.diff) {
        const {diffs, redact} = await planDiff(prepared, planned, {
          cluster,
          helm: await openUsersHelm(flags, cluster),
        })
        this.print(`\n${diffText(diffs, {palette: this.palette('stdout'), redact})}`)
      }
      if (flags['detailed-exitcode'] && hasChanges(planned)) process.exitCode = 4
    } finally {
      await cluster.close()
    }
  }
}

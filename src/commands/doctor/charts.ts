import {KkCommand} from '../../cli/command.ts'
import {documentFlags, fileArgument, renderFlags} from '../../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openEnvironment, prepareTolerantly} from '../../cli/open/open.ts'
import {examineCharts} from '../../doctor/charts/examine-charts.ts'
import {chartFaultsText} from '../../report/charts/charts-text.ts'

export default class DoctorCharts extends KkCommand {
  static override summary =
    'Say what is wrong with the charts of an environment, before anything is deployed.'
  static override description =
    'Renders every chart with the values of the environment, again where it may be random, and as its next version with other images; needs no cluster. With a cluster named, also compares with what is deployed there, and asks it in a dry run what it would refuse. Finds charts that do not render, waits that nobody serves, objects that nobody or two releases make, data that each upgrade deletes with a hook, accounts whose server is given another password than their clients, hooks that wait for what comes after them, custom resources whose definition the same chart makes too late, random values, Jobs and fields that cannot be changed by an upgrade, and definitions that no upgrade applies. Exits 1 when there is a problem; warnings are none.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk doctor charts cloud.yaml',
    'kk doctor charts cloud.yaml --output json',
    'Before an upgrade: what of it the cluster would refuse.\nkk doctor charts cloud.yaml --sandbox',
  ]
  static override args = fileArgument
  static override flags = {...renderFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(DoctorCharts)
    const {environment} = await openEnvironment(flags, args.file === undefined ? [] : [args.file])
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const prepared = await prepareTolerantly(environment, flags, cluster)
    const findings = await examineCharts(prepared, {helm: await openUsersHelm(flags, cluster), cluster})
    this.console.document(flags.output, {findings}, (palette) => chartFaultsText(findings, palette))
    if (findings.some(({level}) => level === 'problem')) process.exitCode = 1
  }
}

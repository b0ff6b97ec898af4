import {KkCommand} from '../../cli/command.ts'
import {documentFlags, fileArgument, renderFlags} from '../../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openEnvironment, prepareTolerantly} from '../../cli/open/open.ts'
import {examineCharts} from '../../doctor/charts/examine-charts.ts'
import {chartFaultsText} from '../../report/charts/charts-text.ts'

export default class DoctorCharts extends KkCommand {
  static override summary = 'Check the charts of an environment for problems before anything is deployed.'
  static override description =
    'Renders every chart with the values of the environment, a second time if it may use random values, and as its next version with other images. Needs no cluster; if one is named, also compares with the deployed releases and runs a server-side dry run. Finds values that no chart or service reads, charts that do not render, dependencies that are never satisfied, objects that no release or two releases create, data that a hook deletes with each upgrade, accounts whose server gets another password than their clients, hooks that wait for objects created after them, custom resources whose CRD the same chart creates too late, random values, Jobs and immutable fields that break an upgrade, and CRDs that no upgrade applies. Exits 1 if there is a problem; warnings do not count as problems.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk doctor charts cloud.yaml',
    'kk doctor charts cloud.yaml --output json',
    'Before an upgrade: what the cluster would refuse.\nkk doctor charts cloud.yaml --sandbox',
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

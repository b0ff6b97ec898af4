import {documentFlags, environmentFlags, fileArgument, helmFlags, valueFlags} from '../../cli/flags.ts'
import {openTolerantly, openUsersHelm} from '../../cli/open.ts'
import {KkCommand} from '../../cli/program/command.ts'
import {doctorText} from '../../report/doctor-text.ts'
import {examineCharts} from '../../verbs/charts/doctor/examine-charts.ts'

export default class DoctorCharts extends KkCommand {
  static override summary =
    'Say what is wrong with the charts of an environment, before anything is deployed.'
  static override description =
    'Renders every chart twice with the values of the environment, and once as its next version with other images; needs no cluster. Finds waits that nobody serves, objects that nobody or two releases make, hooks that wait for what comes after them, random values, Jobs and fields that cannot be changed by an upgrade, and definitions that no upgrade applies. Exits 1 when there is a problem; warnings are none.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    '<%= config.bin %> doctor charts cloud.yaml',
    '<%= config.bin %> doctor charts cloud.yaml --output json',
  ]
  static override args = fileArgument
  static override flags = {...environmentFlags, ...valueFlags, ...helmFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(DoctorCharts)
    const prepared = await openTolerantly(flags, args.file === undefined ? [] : [args.file])
    const findings = await examineCharts(prepared, await openUsersHelm({helm: flags.helm}))
    this.document(flags.output, {findings}, (palette) =>
      findings.length === 0 ? 'nothing is wrong with the charts\n' : doctorText(findings, palette),
    )
    if (findings.some(({level}) => level === 'problem')) process.exitCode = 1
  }
}

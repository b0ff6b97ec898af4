import {KkCommand} from '../../cli/command.ts'
import {examine} from '../../cli/doctor.ts'
import {clusterFlags, documentFlags, environmentFlags, fileArgument, helmFlags} from '../../cli/flags.ts'
import {doctorText} from '../../report/doctor-text.ts'

export default class Doctor extends KkCommand {
  static override summary =
    'Say what is wrong with helm, the cluster and what kk and helm left there, and what to do.'
  static override description =
    'Looks and changes nothing. Works without an environment file, and without a cluster: what cannot be checked then is said. Exits 1 when there is a problem; warnings are none.'
  static override examples = [
    '<%= config.bin %> doctor --sandbox',
    '<%= config.bin %> doctor environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> doctor --sandbox --output json',
  ]
  static override args = fileArgument
  static override flags = {...environmentFlags, ...clusterFlags, ...helmFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Doctor)
    const findings = await examine(flags, args.file === undefined ? [] : [args.file])
    this.console.document(flags.output, {findings}, (palette) => doctorText(findings, palette))
    if (findings.some(({level}) => level === 'problem')) process.exitCode = 1
  }
}

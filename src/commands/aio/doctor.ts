import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {doctorText} from '../../report/doctor-text.ts'
import {examineMachine} from '../../sandbox/node/doctor/examine.ts'

export default class AioDoctor extends KkCommand {
  static override summary =
    'Say whether the all-in-one node can run on this machine, and how to mend what it lacks.'
  static override description =
    'Looks at the kernel, cgroups, programs, ports, networks, memory and disk, and changes nothing. Exits 1 when there is a problem; warnings are none.'
  static override usage = '[FLAGS]'
  static override examples = ['kk aio doctor', 'kk aio doctor --output json']
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags} = await this.parse(AioDoctor)
    const findings = await examineMachine(process.env)
    this.console.document(flags.output, {findings}, (palette) => doctorText(findings, palette))
    if (findings.some(({level}) => level === 'problem')) process.exitCode = 1
  }
}

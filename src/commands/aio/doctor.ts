import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {doctorText} from '../../report/doctor-text.ts'
import {examineMachine} from '../../sandbox/node/doctor/examine.ts'

export default class AioDoctor extends KkCommand {
  static override summary =
    'Check whether the all-in-one node can run on this machine, and show how to fix what is missing.'
  static override description =
    'Checks the kernel, cgroups, programs, ports, networks, memory and disk; changes nothing. Exits 1 if there is a problem; warnings do not count as problems.'
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

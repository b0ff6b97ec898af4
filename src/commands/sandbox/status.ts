import {KkCommand} from '../../cli/command.ts'
import {documentFlags, sandboxFlags} from '../../cli/flags.ts'
import {statusText} from '../../report/sandbox-text.ts'
import {list, status} from '../../sandbox/status.ts'

export default class SandboxStatus extends KkCommand {
  static override summary =
    'Show whether a throwaway Kubernetes cluster is running, and how to connect to it.'
  static override description = 'Exits 0 if it is running, 1 if it is not.'
  static override usage = '[FLAGS]'
  static override examples = ['kk sandbox status', 'kk sandbox status --sandbox-name big --output json']
  static override flags = {...sandboxFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(SandboxStatus)
    const name = flags['sandbox-name']
    const [sandbox, names] = await Promise.all([status(name, process.env), list(process.env)])
    const otherNames = names.filter((other) => other !== name)
    this.console.document(flags.output, sandbox, () => statusText(sandbox, otherNames))
    process.exitCode = sandbox.state === 'running' ? 0 : 1
  }
}

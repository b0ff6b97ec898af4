import {KkCommand} from '../../cli/command.ts'
import {documentFlags, sandboxFlags} from '../../cli/flags.ts'
import {statusText} from '../../report/sandbox-text.ts'
import {list, status} from '../../sandbox/status.ts'

export default class SandboxStatus extends KkCommand {
  static override summary = 'Say whether a throwaway Kubernetes runs, and how to reach it.'
  static override description = 'The exit code is 0 when it runs and 1 when it does not.'
  static override usage = '[FLAGS]'
  static override examples = ['kk sandbox status', 'kk sandbox status --sandbox-name big --output json']
  static override flags = {...sandboxFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags} = await this.parse(SandboxStatus)
    const name = flags['sandbox-name']
    const [found, names] = await Promise.all([status(name, process.env), list(process.env)])
    const others = names.filter((other) => other !== name)
    this.console.document(flags.output, found, () => statusText(found, others))
    process.exitCode = found.state === 'running' ? 0 : 1
  }
}

import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {nodeStatusText} from '../../report/node-text.ts'
import type {Node} from '../../sandbox/node/node.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {status} from '../../sandbox/status.ts'

export default class AioStatus extends KkCommand {
  static override summary = 'Say whether the all-in-one node runs, and how to reach it.'
  static override description = 'The exit code is 0 when it runs and 1 when it does not.'
  static override usage = '[FLAGS]'
  static override examples = ['kk aio status', 'kk aio status --output json']
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags} = await this.parse(AioStatus)
    const found = await status<Node>(NODE_NAME, process.env)
    this.console.document(flags.output, found, () => nodeStatusText(found))
    process.exitCode = found.state === 'running' ? 0 : 1
  }
}

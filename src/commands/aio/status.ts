import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {nodeStatusText} from '../../report/node-text.ts'
import type {Node} from '../../sandbox/node/node.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {status} from '../../sandbox/status.ts'

export default class AioStatus extends KkCommand {
  static override summary = 'Show whether the all-in-one node is running, and how to connect to it.'
  static override description = 'Exits 0 if it is running, 1 if it is not.'
  static override usage = '[FLAGS]'
  static override examples = ['kk aio status', 'kk aio status --output json']
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags} = await this.parse(AioStatus)
    const nodeStatus = await status<Node>(NODE_NAME, process.env)
    this.console.document(flags.output, nodeStatus, () => nodeStatusText(nodeStatus))
    process.exitCode = nodeStatus.state === 'running' ? 0 : 1
  }
}

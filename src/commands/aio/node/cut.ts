import {KkCommand} from '../../../cli/command.ts'
import {nodeArgs, nodeNumber} from '../../../cli/node.ts'
import {cutNode} from '../../../sandbox/node/isolated/power.ts'

export default class AioNodeCut extends KkCommand {
  static override summary = 'Cut all networks of one of several nodes; what runs in it goes on.'
  static override description =
    'For tests of what a node that nothing reaches means. kk aio node start connects it again. Requires kk aio up --nodes 2 or more.'
  static override usage = 'NODE [FLAGS]'
  static override examples = ['kk aio node cut 2']
  static override args = nodeArgs

  override async run(): Promise<void> {
    const {args} = await this.parse(AioNodeCut)
    const number = nodeNumber(args.node)
    await cutNode({number, env: process.env, onProgress: this.console.say})
    this.console.say(`node-${number} is cut off`)
  }
}

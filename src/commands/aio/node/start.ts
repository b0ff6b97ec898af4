import {KkCommand} from '../../../cli/command.ts'
import {nodeArgs, nodeNumber} from '../../../cli/node.ts'
import {abortable} from '../../../cli/signals.ts'
import {startNodeAgain} from '../../../sandbox/node/isolated/power.ts'

export default class AioNodeStart extends KkCommand {
  static override summary = 'Start and connect one of several nodes again, and wait until it is Ready.'
  static override description =
    'Undoes kk aio node stop and kk aio node cut: the node has the disk that it had. A node that runs is left unchanged.'
  static override usage = 'NODE [FLAGS]'
  static override examples = ['kk aio node start 2']
  static override args = nodeArgs

  override async run(): Promise<void> {
    const {args} = await this.parse(AioNodeStart)
    const number = nodeNumber(args.node)
    await abortable('the start of the node', (signal) =>
      startNodeAgain({number, env: process.env, onProgress: this.console.say, signal}),
    )
    this.console.say(`node-${number} is Ready`)
  }
}

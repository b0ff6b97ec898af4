import {Flags} from '@oclif/core'
import {KkCommand} from '../../../cli/command.ts'
import {nodeArgs, nodeNumber} from '../../../cli/node.ts'
import {stopKubelet, stopNode} from '../../../sandbox/node/isolated/power.ts'

export default class AioNodeStop extends KkCommand {
  static override summary = 'End everything that runs in one of several nodes at once, like a power cut.'
  static override description =
    'For tests of what a lost node means. Its disk stays, and kk aio node start starts it again. Requires kk aio up --nodes 2 or more.'
  static override usage = 'NODE [FLAGS]'
  static override examples = ['kk aio node stop 2', 'kk aio node stop 2 --kubelet']
  static override args = nodeArgs
  static override flags = {
    kubelet: Flags.boolean({summary: 'End only its kubelet: its pods go on, and Kubernetes loses the node.'}),
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(AioNodeStop)
    const stop = flags.kubelet ? stopKubelet : stopNode
    const number = nodeNumber(args.node)
    await stop({number, env: process.env, onProgress: this.console.say})
    this.console.say(`${flags.kubelet ? 'the kubelet of ' : ''}node-${number} is stopped`)
  }
}

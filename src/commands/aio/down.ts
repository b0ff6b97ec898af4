import {KkCommand} from '../../cli/command.ts'
import {down} from '../../sandbox/node/remove.ts'

export default class AioDown extends KkCommand {
  static override summary = 'Stop the all-in-one node and remove everything that belongs to it.'
  static override description =
    'Stops its pods and processes, removes its files, volumes and images, and restores the network interfaces, iptables rules and kernel settings of the machine.'
  static override usage = '[FLAGS]'
  static override examples = ['kk aio down']

  override async run(): Promise<void> {
    await this.parse(AioDown)
    const outcome = await down({env: process.env, onProgress: this.console.say})
    this.console.say(outcome === 'removed' ? 'the node is removed' : 'there is no node')
  }
}

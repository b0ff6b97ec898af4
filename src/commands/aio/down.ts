import {KkCommand} from '../../cli/command.ts'
import {down} from '../../sandbox/node/remove.ts'

export default class AioDown extends KkCommand {
  static override summary = 'End the all-in-one node and remove all of it.'
  static override description =
    'Its pods and processes are ended, and its files, volumes and images removed; network interfaces, iptables rules and kernel settings of the machine are as they were before.'
  static override usage = '[FLAGS]'
  static override examples = ['kk aio down']

  override async run(): Promise<void> {
    await this.parse(AioDown)
    const outcome = await down({env: process.env, onProgress: this.console.say})
    this.console.say(outcome === 'removed' ? 'the node is removed' : 'there is no node')
  }
}

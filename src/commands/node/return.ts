import {cloudNodeArgument} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, timeoutFlag} from '../../cli/flags.ts'

import {runNodeChange} from '../../cli/node-change.ts'

export default class NodeReturn extends KkCommand {
  static override summary = 'Take a drained node back: schedulable, enabled in nova, its instances started.'
  static override description =
    'Reverts only what kk node drain and kk node evacuate changed: a node that a user cordoned stays cordoned, and a host that a user disabled stays disabled. Waits until the pods of the node are ready and the services report that all their parts are up, and starts the instances that the drain has stopped. Instances are not moved back.'
  static override usage = 'NODE [FILE] [FLAGS]'
  static override examples = ['kk node return cmp4 cloud.yaml']
  static override strict = false
  static override args = cloudNodeArgument
  static override flags = {
    ...environmentFlags,
    timeout: timeoutFlag('the node to be ready', '15m'),
    ...documentFlags,
    ...clusterFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeReturn)
    const given = {flags, argv: argv as string[]}
    process.exitCode = await runNodeChange('return', this.console, given)
  }
}

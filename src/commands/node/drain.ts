import {cloudNodeArgument, migrationsFlag, nodeChangeFlags} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'

import {runNodeChange} from '../../cli/node-change.ts'

export default class NodeDrain extends KkCommand {
  static override summary =
    'Move the instances, gateways and pods off a node, so that it can be switched off.'
  static override description =
    "Disables the host in nova, then moves its instances live. An instance's tag kk:maintenance=live, cold, stop, notify or never decides otherwise; who is not moved is named with its owner. When no instance is left running there, moves the gateways of routers, cordons the node, and evicts its pods as their PodDisruptionBudgets allow; the pods of DaemonSets stay, as with kubectl drain. Shows a plan first, and asks. If kk is killed, the Job that moves instances goes on, and the same command follows it. Exits 1 if something stays on the node."
  static override usage = 'NODE [FILE] [FLAGS]'
  static override examples = [
    'kk node drain cmp4 cloud.yaml --dry-run',
    'In a pipeline.\nkk node drain cmp4 cloud.yaml --yes --timeout 2h',
  ]
  static override strict = false
  static override args = cloudNodeArgument
  static override flags = {
    ...nodeChangeFlags,
    ...migrationsFlag,
    timeout: timeoutFlag('the node to be empty', '1h'),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeDrain)
    const given = {flags, argv: argv as string[], options: {concurrency: flags['max-migrations']}}
    process.exitCode = await runNodeChange('drain', this.console, given)
  }
}

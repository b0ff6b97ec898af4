import {Flags} from '@oclif/core'
import {cloudNodeArgument, nodeChangeFlags} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'

import {runNodeChange} from '../../cli/node-change.ts'

export default class NodeReplace extends KkCommand {
  static override summary =
    'Give up the data of a lost controller, whose members of MariaDB, RabbitMQ, OVN and Ceph begin again on other nodes.'
  static override description =
    'For a node that is off and does not return with its disks, on which alone its volumes were. Refused while its kubelet reports, and unless the other members have all data: Galera is a primary component whose members are synced at the same change, every queue of RabbitMQ has most of its replicas, the databases of OVN have a leader, the monitors of Ceph a quorum, and all its data can be read. Then the others forget the lost members, the claims on the node are deleted, and the pods begin again on nodes that the charts select. Waits until all members are ready, and every queue and stream has its replicas. --with labels another node for them first. Shows a plan first, and asks. If kk is killed, the same command goes on. kk node evacuate starts the instances of the node elsewhere, and kk node remove takes the rest of it out of the cloud.'
  static override usage = 'NODE [FILE] [FLAGS]'
  static override examples = [
    'kk node replace ctl2 cloud.yaml --dry-run',
    'A new machine takes its place.\nkk node replace ctl2 cloud.yaml --with ctl4 --yes',
  ]
  static override strict = false
  static override args = cloudNodeArgument
  static override flags = {
    ...nodeChangeFlags,
    with: Flags.string({summary: 'The node that takes its place.', helpValue: 'NODE'}),
    timeout: timeoutFlag('the new members to be ready', '30m'),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeReplace)
    const given = {flags, argv: argv as string[], options: {replacement: flags.with}}
    process.exitCode = await runNodeChange('replace', this.console, given)
  }
}

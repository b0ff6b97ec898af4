import {Flags} from '@oclif/core'
import {cloudNodeArgument, nodeChangeFlags} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'

import {runNodeChange} from '../../cli/node-change.ts'

export default class NodeRemove extends KkCommand {
  static override summary =
    'Take a node out of the cloud, with all that nova, neutron, Placement and OVN know of it.'
  static override description =
    'Refused while instances, migrations, gateways, volumes or pods of services are on the node, each of which is named. Otherwise empties and removes its OSDs of Ceph with their claims, removes the labels by which the charts select the node, waits until its pods have ended, deletes its host in nova, with the resource provider and the agents, and its chassis in OVN, and reads again whether anything is left. --label removes only that label and what depends on it, for a controller that is no longer to be a hypervisor. Also for a node that Kubernetes no longer has. The node itself stays in Kubernetes: delete it with kubectl. Shows a plan first, and asks. If kk is killed, the same command goes on.'
  static override usage = 'NODE [FILE] [FLAGS]'
  static override examples = [
    'kk node remove cmp4 cloud.yaml --dry-run',
    'A controller that is no longer to be a hypervisor.\nkk node remove ctl2 cloud.yaml --label openstack-compute-node --yes',
  ]
  static override strict = false
  static override args = cloudNodeArgument
  static override flags = {
    ...nodeChangeFlags,
    label: Flags.string({
      summary: 'Remove only this label; repeatable.',
      helpValue: 'KEY',
      multiple: true,
    }),
    timeout: timeoutFlag('the pods of the node to end', '15m'),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeRemove)
    const given = {flags, argv: argv as string[], options: {labels: flags.label}}
    process.exitCode = await runNodeChange('remove', this.console, given)
  }
}

import {cloudNodeArgument, nodeChangeFlags} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'

import {runNodeChange} from '../../cli/node-change.ts'

export default class NodeAdd extends KkCommand {
  static override summary =
    'Make a node of Kubernetes a hypervisor, and wait until nova starts instances there.'
  static override description =
    'Sets the labels by which the charts of nova, libvirt, neutron, OVN and Open vSwitch select nodes, waits until their pods are ready, and maps the host to its cell. Refused if the node is not ready, is cordoned, has a taint that the pods do not tolerate, or has too little of a resource that they request, such as hugepages. Shows a plan first, and asks. Exits 1 if nova starts no instances there, for example because a user has disabled the host.'
  static override usage = 'NODE [FILE] [FLAGS]'
  static override examples = ['kk node add cmp5 cloud.yaml --dry-run', 'kk node add cmp5 cloud.yaml --yes']
  static override strict = false
  static override args = cloudNodeArgument
  static override flags = {
    ...nodeChangeFlags,
    timeout: timeoutFlag('the node to take instances', '15m'),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeAdd)
    const given = {flags, argv: argv as string[]}
    process.exitCode = await runNodeChange('add', this.console, given)
  }
}

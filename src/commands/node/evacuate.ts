import {cloudNodeArgument, nodeChangeFlags} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'
import {runNodeChange} from '../../cli/node-change.ts'

export default class NodeEvacuate extends KkCommand {
  static override summary = 'Start the instances of a dead node on other nodes.'
  static override description =
    'Refused until three facts show that the node is off: its kubelet does not report to Kubernetes, its nova-compute does not report to nova, and no client has its disks open in Ceph. An instance that ran twice would destroy its disk. Instances whose disks are files of the node stay, and are named with their owners. Nova takes the node for down until kk node return, after which nova-compute deletes what is left of these instances there. Shows a plan first, and asks. Exits 1 if an instance was not started elsewhere.'
  static override usage = 'NODE [FILE] [FLAGS]'
  static override examples = [
    'kk node evacuate cmp4 cloud.yaml --dry-run',
    'kk node evacuate cmp4 cloud.yaml --yes',
  ]
  static override strict = false
  static override args = cloudNodeArgument
  static override flags = {
    ...nodeChangeFlags,
    timeout: timeoutFlag('the instances to start', '30m'),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeEvacuate)
    const given = {flags, argv: argv as string[]}
    process.exitCode = await runNodeChange('evacuate', this.console, given)
  }
}

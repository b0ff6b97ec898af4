import {cloudNodeArgument, confirmNodePlan, nodeChangeFlags, openCloudNode} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'
import {addedText, addPlanText} from '../../report/nodes-text.ts'
import {add, planAdd, refuseIfLacking} from '../../verbs/nodes/add.ts'

const TIMEOUT_SECONDS = 900

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
    const opened = await openCloudNode(flags, argv as string[], {
      ...{command: 'kk node add', timeout: TIMEOUT_SECONDS, console: this.console},
    })
    await using cluster = opened.cluster
    const plan = await planAdd(cluster, opened)
    const isConfirmed = await confirmNodePlan(this.console, flags, {
      ...{
        plan,
        text: addPlanText,
        question: `add ${plan.node} on ${cluster.context}?`,
        refuse: refuseIfLacking,
      },
    })
    if (!isConfirmed) return
    const added = await add(cluster, {...opened, plan, deadline: opened.newDeadline()})
    this.console.document(flags.output, added, (colours) => addedText(added, colours))
    process.exitCode = added.takesInstances ? 0 : 1
  }
}

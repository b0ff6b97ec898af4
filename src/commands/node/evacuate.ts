import {cloudNodeArgument, confirmNodePlan, nodeChangeFlags, openCloudNode} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'
import {evacuatedText, evacuationPlanText, operationText} from '../../report/nodes-text.ts'
import {evacuate, planEvacuate, refuseIfAlive} from '../../verbs/nodes/evacuate.ts'

const TIMEOUT_SECONDS = 1800
/** Each restores the state of a guest from its disk, which burdens the storage more than a live migration. */
const CONCURRENCY = 4

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
    const opened = await openCloudNode(flags, argv as string[], {
      ...{command: 'kk node evacuate', timeout: TIMEOUT_SECONDS, console: this.console},
    })
    await using cluster = opened.cluster
    const palette = this.console.palette('stderr')
    const {plan, names} = await planEvacuate(cluster, opened)
    const isConfirmed = await confirmNodePlan(this.console, flags, {
      ...{
        plan,
        text: evacuationPlanText,
        question: `start these instances elsewhere on ${cluster.context}?`,
        refuse: refuseIfAlive,
      },
    })
    if (!isConfirmed) return
    const evacuated = await evacuate(cluster, {
      ...{...opened, plan, concurrency: CONCURRENCY, deadline: opened.newDeadline()},
      onEvent: (event) => this.console.say(operationText(event, names, palette)),
    })
    this.console.document(flags.output, evacuated, (colours) => evacuatedText(evacuated, colours))
    const hasFailed = evacuated.operations.some(({event}) => event === 'failed')
    process.exitCode = hasFailed || evacuated.stays.length > 0 ? 1 : 0
  }
}

import {
  cloudNodeArgument,
  confirmNodePlan,
  migrationsFlag,
  nodeChangeFlags,
  openCloudNode,
} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag} from '../../cli/flags.ts'
import {drainedText, drainPlanText, operationText} from '../../report/nodes-text.ts'
import {drain, planDrain} from '../../verbs/nodes/drain.ts'

const TIMEOUT_SECONDS = 3600

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
    const opened = await openCloudNode(flags, argv as string[], {
      ...{command: 'kk node drain', timeout: TIMEOUT_SECONDS, console: this.console},
    })
    await using cluster = opened.cluster
    const palette = this.console.palette('stderr')
    const {plan, names} = await planDrain(cluster, opened)
    const isConfirmed = await confirmNodePlan(this.console, flags, {
      ...{plan, text: drainPlanText, question: `drain ${plan.node} on ${cluster.context}?`},
    })
    if (!isConfirmed) return
    const drained = await drain(cluster, {
      ...{...opened, deadline: opened.newDeadline()},
      concurrency: flags['max-migrations'],
      onEvent: (event) => this.console.say(operationText(event, names, palette)),
    })
    this.console.document(flags.output, drained, (colours) => drainedText(drained, colours))
    process.exitCode = drained.isEmpty ? 0 : 1
  }
}

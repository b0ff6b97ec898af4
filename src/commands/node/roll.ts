import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {
  type ConfirmFlags,
  cloudNodesArgument,
  confirmNodePlan,
  migrationsFlag,
  nodeChangeFlags,
  type OpenedNodes,
  openCloudNodes,
} from '../../cli/cloud-node.ts'
import {KkCommand} from '../../cli/command.ts'
import {timeoutFlag, timeSeconds} from '../../cli/flags.ts'
import {runForNode} from '../../cli/run-for-node.ts'
import {parseBudgets} from '../../nodes/roll-plan.ts'
import {operationText} from '../../report/nodes-text.ts'
import {renewedText, renewPlanText, rolledText, rollPlanText} from '../../report/roll-text.ts'
import {planRenewQemu, renewQemu} from '../../verbs/nodes/renew-qemu.ts'
import {type Goal, planRoll, refuseUnhealthy, roll} from '../../verbs/nodes/roll.ts'
import {isPassing} from '../../verbs/observation/release-status.ts'
import {statusReader} from '../../verbs/observation/status.ts'

const TIMEOUT_SECONDS = 3600

export default class NodeRoll extends KkCommand {
  static override summary =
    'Drain nodes one after the other, run a command for each, such as its upgrade, and take them back.'
  static override description =
    'For kernels, kubelets, and everything else for which a node has to be empty. Each node is drained as by kk node drain; then --exec runs on this machine, with the name of the node as KK_NODE; and when the node has what --until states, it is taken back as by kk node return. The next node leaves when all releases are healthy, and still are after --soak. Stops when a command fails, a node does not come back, or a release does not become healthy. A node that is down, or on which an instance would stay, is left as it is, and named. If kk is killed, the same command continues, without the nodes that it has done. --old-qemu instead moves the instances whose QEMU is older than that of their node, and no others. Shows a plan first, and asks. Exits 1 if a node or an instance is left.'
  static override usage = '[NODE...] [FILE] [FLAGS]'
  static override examples = [
    "kk node roll cloud.yaml --dry-run --exec 'ssh root@$KK_NODE reboot' --until rebooted",
    "Upgrade the kubelets of two hypervisors at once, and of one controller.\nkk node roll cloud.yaml --exec './upgrade-kubelet $KK_NODE' --until kubelet=v1.36.3 --max-unavailable 2 --max-unavailable openstack-control-plane=1 --yes",
    'After an upgrade of libvirt.\nkk node roll cloud.yaml --old-qemu --yes',
  ]
  static override strict = false
  static override args = cloudNodesArgument
  static override flags = {
    ...nodeChangeFlags,
    exec: Flags.string({
      summary: 'The command, for the shell of this machine, with the name of the node in KK_NODE.',
      helpValue: 'COMMAND',
      exclusive: ['old-qemu'],
    }),
    until: Flags.string({
      summary: 'What the node reports after the command: rebooted, kubelet=VERSION or kernel=VERSION.',
      helpValue: 'GOAL',
      dependsOn: ['exec'],
    }),
    'old-qemu': Flags.boolean({
      summary: 'Move the instances that run an older QEMU than their nodes have.',
    }),
    selector: Flags.string({
      summary: 'Only nodes with this label: KEY or KEY=VALUE.',
      helpValue: 'LABEL',
      dependsOn: ['exec'],
    }),
    'max-unavailable': Flags.string({
      summary:
        'How many nodes may be away at once, or of those with a label: N, P%, LABEL=N; can be repeated (default: 1 of all).',
      helpValue: 'N',
      multiple: true,
      multipleNonGreedy: true,
      dependsOn: ['exec'],
    }),
    soak: Flags.string({
      summary: 'How long a node that is back is watched before the next one leaves (default: 1m).',
      helpValue: 'TIME',
      dependsOn: ['exec'],
    }),
    'ignore-unhealthy': Flags.boolean({
      summary: 'Roll although releases are not healthy; these do not stop it.',
      dependsOn: ['exec'],
    }),
    ...migrationsFlag,
    timeout: timeoutFlag('each node', '1h'),
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(NodeRoll)
    if (flags.exec === undefined && !flags['old-qemu']) {
      throw new KkError('KK_USAGE', 'kk node roll needs --exec or --old-qemu: what to do with each node', {
        hint: "for example --exec 'ssh root@$KK_NODE reboot' --until rebooted",
      })
    }
    const goal = flags.until === undefined ? undefined : parseGoal(flags.until)
    const budgets = parseBudgets(flags['max-unavailable'] ?? [])
    const soak = timeSeconds('--soak', flags.soak ?? '1m') * 1000
    const opened = await openCloudNodes(flags, argv as string[], {
      ...{command: 'kk node roll', timeout: TIMEOUT_SECONDS, console: this.console},
    })
    await using cluster = opened.cluster
    if (flags.exec === undefined) return await this.renew(flags, opened)

    const {environment, nodes: names} = opened
    const subject = {owner: environment.name, prepared: undefined, names: [], settings: environment.releases}
    const read = statusReader(subject, cluster)
    const unhealthyReleases = async () =>
      (await read()).releases.filter((row) => !isPassing(row)).map(({release}) => release)
    const options = {...opened, names, selector: flags.selector, budgets, command: flags.exec, goal}
    const plan = await planRoll(cluster, options, await unhealthyReleases())
    const isConfirmed = await confirmNodePlan(this.console, flags, {
      ...{plan, text: rollPlanText, question: `roll these nodes of ${cluster.context}?`},
      refuse: (each) => (flags['ignore-unhealthy'] ? undefined : refuseUnhealthy(each)),
    })
    if (!isConfirmed) return
    const palette = this.console.palette('stderr')
    const rolled = await roll(cluster, {
      ...{...options, plan, soak, unhealthyReleases},
      ignoresUnhealthy: flags['ignore-unhealthy'],
      concurrency: flags['max-migrations'],
      run: (node, timeout) =>
        runForNode({
          ...{node, command: options.command, timeout},
          onLine: (line) => this.console.say(palette.quiet(line)),
        }),
      onEvent: (event) => this.console.say(operationText(event, new Map(), palette)),
    })
    this.console.document(flags.output, rolled, (colours) => rolledText(rolled, colours))
    process.exitCode = rolled.isComplete ? 0 : 1
  }

  /** Moves the instances with an old QEMU. */
  private async renew(
    flags: ConfirmFlags & {readonly 'max-migrations': number},
    {nodes, ...opened}: OpenedNodes,
  ): Promise<void> {
    const {cluster} = opened
    const palette = this.console.palette('stderr')
    const options = {...opened, names: nodes}
    const plan = await planRenewQemu(cluster, options)
    const moves = plan.nodes.flatMap(({operations}) => operations)
    const isConfirmed = await confirmNodePlan(
      this.console,
      {...flags, yes: flags.yes || moves.length === 0},
      {plan, text: renewPlanText, question: `move these instances of ${cluster.context}?`},
    )
    if (!isConfirmed) return
    const names = new Map(moves.map(({server = '', name = ''}) => [server, name]))
    const renewed = await renewQemu(cluster, {
      ...{...options, plan},
      concurrency: flags['max-migrations'],
      onEvent: (event) => this.console.say(operationText(event, names, palette)),
    })
    this.console.document(flags.output, renewed, (colours) => renewedText(renewed, colours))
    const {old, failed, notAsked} = renewed
    process.exitCode = old.length + failed.length + notAsked.length === 0 ? 0 : 1
  }
}

/** Throws `KK_USAGE`. */
function parseGoal(text: string): Goal {
  const [, kind, version] = /^(kubelet|kernel)=(.+)$/.exec(text) ?? []
  if (text === 'rebooted') return {kind: 'rebooted'}
  if (version !== undefined) return {kind: kind as 'kubelet' | 'kernel', version}
  throw new KkError('KK_USAGE', `--until ${text}: expected rebooted, kubelet=VERSION or kernel=VERSION`, {
    hint: 'kubectl get nodes --output wide shows the versions of nodes',
  })
}

import {Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {abortable} from '../../cli/signals.ts'
import {nodeText} from '../../report/node-text.ts'
import {MOST_NODES} from '../../sandbox/node/network.ts'
import {up} from '../../sandbox/node/up.ts'

export default class AioUp extends KkCommand {
  static override summary = 'Start a Kubernetes node with real pods on this machine.'
  static override description =
    'Runs the control plane of kk sandbox with containerd, kubelet, kube-proxy, CoreDNS, storage and an image registry; listens on loopback and on a dedicated bridge. ' +
    'Requires Linux, root and everything that kk aio doctor checks; the checks run first. A running node is left unchanged. A node that stopped, for example because of a reboot, is refused until kk aio down removes it with its data. ' +
    'Other commands use it with --sandbox-name aio.'
  static override usage = '[FLAGS]'
  static override examples = [
    'kk aio up',
    'kk aio up --nodes 3',
    'kk deploy environments/cloud.yaml --sandbox-name aio',
  ]
  static override flags = {
    ...documentFlags,
    nodes: Flags.integer({
      summary:
        'Number of nodes. Several nodes have namespaces of their own, and the control plane is none of them.',
      default: 1,
      min: 1,
      max: MOST_NODES,
    }),
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(AioUp)
    const start = Date.now()
    const {outcome, node} = await abortable('the start of the node', (signal) =>
      up({env: process.env, nodes: flags.nodes, onProgress: this.console.say, signal}),
    )
    const seconds = ((Date.now() - start) / 1000).toFixed(1)
    const already = 'the node is already running'
    const unchanged = node.nodes === flags.nodes ? already : `${already}, with nodes: ${node.nodes}`
    this.console.say(outcome === 'started' ? `the node is up in ${seconds} s` : unchanged)
    this.console.document(flags.output, {outcome, ...node}, () => nodeText(node))
  }
}

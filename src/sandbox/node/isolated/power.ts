import {KkError} from '../../../base/errors.ts'
import {signalProcess} from '../../../state/processes/signal-process.ts'
import type {Target} from '../../control-plane/kubectl.ts'
import type {Sandbox} from '../../sandbox.ts'
import {removeNodeCgroup} from '../host/cgroups.ts'
import {readPid} from '../local-node.ts'
import {nodePaths} from '../paths.ts'
import {nodeTools} from '../tools.ts'
import {waitForNode} from '../wait-for-node.ts'
import {switchCables} from './cables.ts'
import {type IsolatedNode, isolatedNode, MACHINE} from './isolated-node.ts'
import {exited, isRunning, killPart} from './programs.ts'
import {startKubelet, startNode} from './start-node.ts'
import {type ClusterOptions, withCluster} from './with-cluster.ts'

interface NodeOptions extends ClusterOptions {
  readonly number: number
}

/**
 * Ends everything that runs in one of several nodes at once, as a power cut does. What is on its disk stays.
 */
export async function stopNode(options: NodeOptions): Promise<void> {
  await withNode(options, async (node) => {
    if (!(await isRunning(node, MACHINE))) return
    signalProcess(readPid(node.init), 'SIGKILL')
    await exited(node, MACHINE)
    await removeNodeCgroup(node.name)
  })
}

/** Ends the kubelet of one of several nodes; its pods go on. */
export async function stopKubelet(options: NodeOptions): Promise<void> {
  await withNode(options, async (node) => {
    if (!(await isRunning(node, 'kubelet'))) return
    await killPart(node, 'kubelet')
  })
}

/** Cuts one of several nodes off: nothing passes between it and the others, nor the API server. */
export async function cutNode(options: NodeOptions): Promise<void> {
  await withNode(options, async (node) => {
    if (await isRunning(node, MACHINE)) await switchCables(node, 'down')
  })
}

/** Starts what does not run of one of several nodes, and connects it; resolves when the node is Ready. */
export async function startNodeAgain(options: NodeOptions): Promise<void> {
  const {env, signal} = options
  const tools = nodeTools(env)
  await withNode(options, async (node, {nodes, server}) => {
    const port = Number(new URL(server).port)
    const since = Date.now()
    if (await isRunning(node, MACHINE)) {
      await switchCables(node, 'up')
      if (!(await isRunning(node, 'kubelet'))) await startKubelet(node, tools)
    } else await startNode(node, {tools, nodes, port, signal})
    const {kubeconfig} = nodePaths(env)
    const target: Target = {binary: tools.kubectl, kubeconfig, env, command: 'kk aio'}
    await waitForNode(node, target, {signal, kubelet: tools.kubelet, since})
  })
}

async function withNode(
  {number, ...options}: NodeOptions,
  act: (node: IsolatedNode, cluster: Sandbox) => Promise<void>,
): Promise<void> {
  await withCluster(options, async (cluster) => {
    if (number > cluster.nodes) throw noSuchNode(number, cluster.nodes)
    await act(await isolatedNode(nodePaths(options.env), number), cluster)
  })
}

function noSuchNode(number: number, nodes: number): KkError {
  return new KkError('KK_AIO', `there are ${nodes} nodes, and no node ${number}`, {hint: `use 1 to ${nodes}`})
}

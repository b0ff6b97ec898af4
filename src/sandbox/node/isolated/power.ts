import {readFile} from 'node:fs/promises'
import {KkError} from '../../../base/errors.ts'
import {pollUntil} from '../../../base/poll.ts'
import {withLock} from '../../../state/lock.ts'
import {signalProcess} from '../../../state/processes/signal-process.ts'
import {runningComponents} from '../../control-plane/components.ts'
import type {Target} from '../../control-plane/kubectl.ts'
import {requireSandbox} from '../../running.ts'
import {NODE_NAME} from '../../sandbox.ts'
import {removeNodeCgroup} from '../host/cgroups.ts'
import {readPid} from '../local-node.ts'
import {nodePaths} from '../paths.ts'
import {requireRoot} from '../require-root.ts'
import {nodeTools} from '../tools.ts'
import {waitForNode} from '../wait-for-node.ts'
import {switchCables} from './cables.ts'
import {type IsolatedNode, isolatedNode, MACHINE} from './isolated-node.ts'
import {startKubelet, startNode} from './start-node.ts'

const EXIT_TIMEOUT_MS = 10_000

interface NodeOptions {
  readonly number: number
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
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
    // The program that entered the namespaces waits for the kubelet.
    const pid = readPid(node.paths.components.kubelet!)
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    for (const child of children.split(' ').filter(Boolean)) signalProcess(Number(child), 'SIGKILL')
    await exited(node, 'kubelet')
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
    if (await isRunning(node, MACHINE)) {
      await switchCables(node, 'up')
      if (!(await isRunning(node, 'kubelet'))) await startKubelet(node, tools)
    } else await startNode(node, {tools, nodes, port, signal})
    const {kubeconfig} = nodePaths(env)
    const target: Target = {binary: tools.kubectl, kubeconfig, env, command: 'kk aio'}
    await waitForNode(node, target, signal)
  })
}

type Cluster = Awaited<ReturnType<typeof requireSandbox>>

async function withNode(
  {number, env, onProgress}: NodeOptions,
  act: (node: IsolatedNode, cluster: Cluster) => Promise<void>,
): Promise<void> {
  requireRoot()
  const paths = nodePaths(env)
  const actLocked = async () => {
    const cluster = await requireSandbox(NODE_NAME, env)
    if (cluster.nodes === 1 || number > cluster.nodes) throw noSuchNode(number, cluster.nodes)
    await act(await isolatedNode(paths, number), cluster)
  }
  await withLock(paths.lock, actLocked, {
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping the node; waiting`),
  })
}

function noSuchNode(number: number, nodes: number): KkError {
  const what =
    nodes === 1 ? 'the only node is this machine' : `there are ${nodes} nodes, and no node ${number}`
  return new KkError('KK_AIO', what, {
    hint:
      nodes === 1 ? '"kk aio up --nodes 3" starts nodes that can be stopped one by one' : `use 1 to ${nodes}`,
  })
}

async function isRunning({paths}: IsolatedNode, part: string): Promise<boolean> {
  const {components} = await runningComponents(paths)
  return components[part] !== undefined
}

async function exited(node: IsolatedNode, part: string): Promise<void> {
  const isGone = async () => !(await isRunning(node, part))
  if (await pollUntil(isGone, {interval: 20, deadline: Date.now() + EXIT_TIMEOUT_MS})) return
  throw new KkError('KK_AIO', `${part} of ${node.name} does not exit`, {
    hint: '"kk aio down" removes all nodes',
  })
}

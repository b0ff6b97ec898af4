import {Resolver} from 'node:dns/promises'
import {connect} from 'node:net'
import {KkError} from '../../base/errors.ts'
import {createControlPlane} from '../control-plane/create.ts'
import {kubectl, serverVersion, type Target} from '../control-plane/kubectl.ts'
import {writeRecord} from '../record.ts'
import {findSandbox, lostSandbox, refuseBroken} from '../running.ts'
import {examineMachine} from './doctor/examine.ts'
import {prepareMachine} from './host/machine.ts'
import {isolatedNodes, nodeName} from './isolated/isolated-node.ts'
import {startNode} from './isolated/start-node.ts'
import {onlyNode} from './local-node.ts'
import {withNodeLock} from './lock.ts'
import {API_SERVICE, GATEWAY, REGISTRY, REGISTRY_FOR_PODS, REGISTRY_PORT, SERVICES} from './network.ts'
import type {Node} from './node.ts'
import {startContainerd} from './parts/containerd.ts'
import {kubelet} from './parts/kubelet.ts'
import {coredns, forwarder, kubeProxy, type Part, provisioner, registry} from './parts/part.ts'
import {startPart} from './parts/start-part.ts'
import {type NodePaths, nodePaths} from './paths.ts'
import {removeNode} from './remove.ts'
import {requireRoot} from './require-root.ts'
import {storageClass} from './storage-class.ts'
import {type NodeTools, nodeTools} from './tools.ts'
import {type Wait, waitUntil} from './wait.ts'
import {waitForNode} from './wait-for-node.ts'

interface UpOptions {
  readonly env: NodeJS.ProcessEnv
  /** The number of nodes. The only one is the machine; of several each has namespaces of its own. */
  readonly nodes?: number | undefined
  /** Called with one short line per step. */
  readonly onProgress: (line: string) => void
  /** Aborts a start. Everything started is removed before the promise rejects. */
  readonly signal?: AbortSignal
}

export interface UpResult {
  readonly outcome: 'started' | 'already-running'
  readonly node: Node
}

/**
 * Starts the all-in-one node unless it runs. Removes the remains of a killed `up` of a node that never came
 * up. Rejects with `KK_AIO` before any change if the machine lacks a requirement, or with the last lines of a
 * part that does not start; with `KK_SANDBOX_BROKEN` if the node was up and has stopped, for example by a
 * reboot, because its volumes must not be removed implicitly.
 */
export async function up({env, nodes = 1, onProgress, signal}: UpOptions): Promise<UpResult> {
  const paths = nodePaths(env)
  const start = async (): Promise<UpResult> => {
    const status = await findSandbox(paths)
    if (status.state === 'running') return {outcome: 'already-running', node: status.sandbox as Node}
    if (status.state === 'lost') throw lostSandbox('KK_SANDBOX_BROKEN', paths.name, status.why)
    if (status.state === 'broken') throw refuseBroken(paths.name, status.missing)
    requireRoot()
    if (await removeNode(paths)) onProgress('removed the remains of an earlier start')
    await requireMachine(env)
    const tools = nodeTools(env)
    try {
      return {outcome: 'started', node: await startCluster({paths, tools, env, nodes, onProgress, signal})}
    } catch (error) {
      await removeNode(paths)
      throw error
    }
  }
  return withNodeLock(paths, {onProgress, signal}, start)
}

async function requireMachine(env: NodeJS.ProcessEnv): Promise<void> {
  const problems = (await examineMachine(env)).filter(({level}) => level === 'problem')
  if (problems.length === 0) return
  throw new KkError(
    'KK_AIO',
    `this machine does not meet the requirements of the node: ${problems.map(({check}) => check).join(', ')}`,
    {
      log: problems.flatMap(({check, what, advice}) => [
        `${check}: ${what}`,
        ...(advice ? [`  → ${advice}`] : []),
      ]),
      hint: 'fix them one by one; "kk aio doctor" shows every check',
    },
  )
}

interface StartOptions {
  readonly paths: NodePaths
  readonly tools: NodeTools
  readonly env: NodeJS.ProcessEnv
  readonly nodes: number
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Starts all parts, none of which may exist, and waits until each part responds to its clients. */
async function startCluster(options: StartOptions): Promise<Node> {
  const {paths, tools, env, nodes, onProgress, signal} = options
  onProgress('preparing the machine: bridge, iptables, cgroup')
  await prepareMachine(paths, nodes)

  onProgress('starting etcd, API server, controllers, scheduler, containerd and the registry')
  const only = nodes === 1 ? onlyNode(paths) : undefined
  const [{server, context, ports}] = await Promise.all([
    createControlPlane(options, {
      ...{address: GATEWAY, services: SERVICES, apiService: API_SERVICE},
      ...(!only && {nodeGrace: NODE_GRACE}),
    }),
    only && startContainerd(only, tools.pause, signal),
    startPart(paths, 'registry', registry(paths)),
  ])

  onProgress('starting kubelet, kube-proxy, CoreDNS and the volume provisioner')
  const target = {binary: tools.kubectl, kubeconfig: paths.kubeconfig, env, command: 'kk aio'} as const
  const input = JSON.stringify(storageClass)
  await kubectl(target, ['create', '--validate=ignore', '--filename', '-'], {input, signal})
  // It waits for a node of its name.
  const machine = {name: only ? only.name : nodeName(1), address: GATEWAY, kubeconfig: paths.kubeconfig}
  const parts: Readonly<Record<string, Part>> = {
    forwarder: forwarder(tools.forwarder, ports.kubeApiserverPort),
    'kube-proxy': kubeProxy(machine, tools['kube-proxy']),
    ...(only && {kubelet: kubelet(only, tools.kubelet)}),
    coredns: coredns(paths, tools.coredns),
    provisioner: provisioner(paths, tools.provisioner),
  }
  await Promise.all(Object.entries(parts).map(([name, part]) => startPart(paths, name, part)))
  if (only) await waitForNode(only, target, {signal, kubelet: tools.kubelet})
  else await startNodes(options, target, ports.kubeApiserverPort)
  const probes = readiness()
  await Promise.all(probes.map(({isReady, ...wait}) => waitUntil(paths, {...wait, signal}, isReady)))

  const kubernetes = await serverVersion(target, signal)
  const {name, kubeconfig, auditLog} = paths
  const node: Node = {
    ...{name, kubeconfig, context, server, kubernetes, nodes, auditLog},
    ...{address: GATEWAY, registry: REGISTRY, registryForPods: REGISTRY_FOR_PODS},
  }
  await writeRecord(paths, node)
  return node
}

/** A kubelet renews its Lease every ten seconds, if the machine is not overloaded. */
const NODE_GRACE = 30

/** Starts several nodes with namespaces of their own, one after the other, and waits until all are Ready. */
async function startNodes(
  {paths, tools, nodes, onProgress, signal}: StartOptions,
  target: Target,
  port: number,
): Promise<void> {
  const started = await isolatedNodes(paths, nodes)
  for (const node of started) {
    onProgress(`starting ${node.name}`)
    await startNode(node, {tools, nodes, port, signal})
  }
  await Promise.all(started.map((node) => waitForNode(node, target, {signal, kubelet: tools.kubelet})))
}

interface ReadinessProbe extends Wait {
  readonly isReady: () => Promise<boolean>
}

const API_NAME = 'kubernetes.default.svc.cluster.local'

/** Returns the readiness probes of the parts beside the nodes: each is queried as its clients query it. */
function readiness(): readonly ReadinessProbe[] {
  return [
    {
      part: 'kube-proxy',
      until: 'the API server responds at the address of its Service',
      isReady: () => connects(API_SERVICE, 443),
    },
    {part: 'coredns', until: 'it resolves the name of a Service', isReady: resolvesServices},
    {part: 'registry', until: 'it responds on loopback', isReady: () => connects('127.0.0.1', REGISTRY_PORT)},
    {
      part: 'forwarder',
      until: 'the registry responds on the bridge',
      isReady: () => connects(GATEWAY, REGISTRY_PORT),
    },
  ]
}

async function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({host, port, timeout: 1000})
    const end = (isConnected: boolean) => {
      socket.destroy()
      resolve(isConnected)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

async function resolvesServices(): Promise<boolean> {
  const resolver = new Resolver({timeout: 1000, tries: 1})
  resolver.setServers([GATEWAY])
  const addresses: string[] = await resolver.resolve4(API_NAME).catch(() => [])
  return addresses.includes(API_SERVICE)
}

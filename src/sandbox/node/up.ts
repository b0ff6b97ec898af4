import {Resolver} from 'node:dns/promises'
import {connect} from 'node:net'
import {KkError} from '../../base/errors.ts'
import {withLock} from '../../state/lock.ts'
import {createControlPlane} from '../control-plane/create.ts'
import {kubectl, serverVersion, type Target} from '../control-plane/kubectl.ts'
import {writeRecord} from '../record.ts'
import {findSandbox, lostSandbox, refuseBroken} from '../running.ts'
import {NODE_NAME} from '../sandbox.ts'
import {examineMachine} from './doctor/examine.ts'
import {prepareMachine} from './host/machine.ts'
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

interface UpOptions {
  readonly env: NodeJS.ProcessEnv
  /** Called with one short line per step. */
  readonly onProgress: (line: string) => void
  /** Stops a start. What was started is removed before the promise rejects. */
  readonly signal?: AbortSignal
}

export interface UpResult {
  readonly outcome: 'started' | 'already-running'
  readonly node: Node
}

/**
 * Starts the all-in-one node unless it runs. It first removes what a killed `up` left of a node that never came up.
 * Rejects with `KK_AIO` before anything is changed if the machine lacks something, or with the last lines of a part
 * that does not start; and with `KK_SANDBOX_BROKEN` if the node was up and has ended, by a reboot for example: its
 * volumes are not removed unasked.
 */
export async function up({env, onProgress, signal}: UpOptions): Promise<UpResult> {
  const paths = nodePaths(env)
  const start = async (): Promise<UpResult> => {
    const found = await findSandbox(paths)
    if (found.state === 'running') return {outcome: 'already-running', node: found.sandbox as Node}
    if (found.state === 'lost') throw lostSandbox('KK_SANDBOX_BROKEN', paths.name, found.why)
    if (found.state === 'broken') throw refuseBroken(paths.name, found.missing)
    requireRoot()
    if (await removeNode(paths)) onProgress('removed what an earlier start had left')
    await requireMachine(env)
    const tools = nodeTools(env)
    try {
      return {outcome: 'started', node: await startNode({paths, tools, env, onProgress, signal})}
    } catch (error) {
      await removeNode(paths)
      throw error
    }
  }
  return withLock(paths.lock, start, {
    ...(signal && {signal}),
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping the node; waiting`),
  })
}

async function requireMachine(env: NodeJS.ProcessEnv): Promise<void> {
  const problems = (await examineMachine(env)).filter(({level}) => level === 'problem')
  if (problems.length === 0) return
  throw new KkError(
    'KK_AIO',
    `this machine lacks what the node needs: ${problems.map(({check}) => check).join(', ')}`,
    {
      log: problems.flatMap(({check, what, advice}) => [
        `${check}: ${what}`,
        ...(advice ? [`  → ${advice}`] : []),
      ]),
      hint: 'mend them one by one; "kk aio doctor" shows every check',
    },
  )
}

interface StartOptions {
  readonly paths: NodePaths
  readonly tools: NodeTools
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Starts the whole node where nothing of it is left, and waits until each part answers as its users would ask it. */
async function startNode(options: StartOptions): Promise<Node> {
  const {paths, tools, env, onProgress, signal} = options
  onProgress('preparing the machine: bridge, iptables, cgroup')
  await prepareMachine(paths)

  onProgress('starting etcd, API server, controllers, scheduler, containerd and the registry')
  const [{server, context, ports}, containerdPid] = await Promise.all([
    createControlPlane(options, {address: GATEWAY, services: SERVICES, apiService: API_SERVICE}),
    startContainerd(paths, tools.pause, signal),
    startPart(paths, 'registry', registry(paths)),
  ])

  onProgress('starting kubelet, kube-proxy, CoreDNS and the provisioner of volumes')
  const target = {binary: tools.kubectl, kubeconfig: paths.kubeconfig, env, command: 'kk aio'} as const
  const input = JSON.stringify(storageClass)
  await kubectl(target, ['create', '--validate=ignore', '--filename', '-'], {input, signal})
  const parts: Readonly<Record<string, Part>> = {
    forwarder: forwarder(tools.forwarder, ports.kubeApiserverPort),
    'kube-proxy': kubeProxy(paths, tools['kube-proxy']),
    kubelet: kubelet(paths, tools.kubelet, containerdPid),
    coredns: coredns(paths, tools.coredns),
    provisioner: provisioner(paths, tools.provisioner),
  }
  await Promise.all(Object.entries(parts).map(([name, part]) => startPart(paths, name, part)))
  const questions = readiness(target)
  await Promise.all(questions.map(({answer, ...wait}) => waitUntil(paths, {...wait, signal}, answer)))

  const kubernetes = await serverVersion(target, signal)
  const {name, kubeconfig, auditLog} = paths
  const node: Node = {
    ...{name, kubeconfig, context, server, kubernetes, nodes: 1, auditLog},
    ...{address: GATEWAY, registry: REGISTRY, registryForPods: REGISTRY_FOR_PODS},
  }
  await writeRecord(paths, node)
  return node
}

interface Question extends Wait {
  readonly answer: () => Promise<boolean>
}

const READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
const API_NAME = 'kubernetes.default.svc.cluster.local'

/** Returns the questions that tell whether the node is ready: each part is asked as its users ask it. */
function readiness(target: Target): readonly Question[] {
  return [
    {
      part: 'kubelet',
      until: 'the node is Ready',
      answer: async () => {
        const args = ['get', 'node', NODE_NAME, '--ignore-not-found', '--output', READY]
        return (await kubectl(target, args)) === 'True'
      },
    },
    {
      part: 'kube-proxy',
      until: 'the API server answers at the address of its Service',
      answer: () => connects(API_SERVICE, 443),
    },
    {part: 'coredns', until: 'it knows the name of a Service', answer: knowsServices},
    {part: 'registry', until: 'it answers on loopback', answer: () => connects('127.0.0.1', REGISTRY_PORT)},
    {
      part: 'forwarder',
      until: 'the registry answers on the bridge',
      answer: () => connects(GATEWAY, REGISTRY_PORT),
    },
  ]
}

async function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({host, port, timeout: 1000})
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

async function knowsServices(): Promise<boolean> {
  const resolver = new Resolver({timeout: 1000, tries: 1})
  resolver.setServers([GATEWAY])
  const addresses: string[] = await resolver.resolve4(API_NAME).catch(() => [])
  return addresses.includes(API_SERVICE)
}

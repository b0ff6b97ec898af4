import {createControlPlane} from '../control-plane/create.ts'
import {kubectl, serverVersion} from '../control-plane/kubectl.ts'
import {writeRecord} from '../record.ts'
import {prepareMachine} from './host/machine.ts'
import {API_SERVICE, GATEWAY, REGISTRY, REGISTRY_FOR_PODS, SERVICES} from './network.ts'
import type {Node} from './node.ts'
import {coredns} from './parts/coredns.ts'
import {forwarder} from './parts/forwarder.ts'
import {kubeProxy} from './parts/kube-proxy.ts'
import {kubelet} from './parts/kubelet.ts'
import type {Part} from './parts/part.ts'
import {provisioner} from './parts/provisioner.ts'
import {registry} from './parts/registry.ts'
import {startContainerd} from './parts/start-containerd.ts'
import {startPart} from './parts/start-part.ts'
import type {NodePaths} from './paths.ts'
import {readiness} from './readiness.ts'
import {storageClass} from './storage-class.ts'
import type {NodeTools} from './tools.ts'
import {waitUntil} from './wait.ts'

interface StartOptions {
  readonly paths: NodePaths
  readonly tools: NodeTools
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Starts all of the node where nothing of it is left, and waits until each part answers as its users would ask it. */
export async function startNode(options: StartOptions): Promise<Node> {
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

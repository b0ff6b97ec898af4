import {readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {exists} from '../../../state/files/exists.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {makeNodeCgroup} from '../host/cgroups.ts'
import {REPLACED, replacement} from '../host/namespace.ts'
import {GATEWAY, nodeAddress} from '../network.ts'
import {startContainerd} from '../parts/containerd.ts'
import {kubelet} from '../parts/kubelet.ts'
import {kubeProxy} from '../parts/part.ts'
import {startPart} from '../parts/start-part.ts'
import type {NodeTools} from '../tools.ts'
import {waitUntil} from '../wait.ts'
import {BOOT} from './boot.ts'
import {connectNode} from './cables.ts'
import {type IsolatedNode, joined, joinedGroups, MACHINE, nodeName, nodeNumbers} from './isolated-node.ts'

interface StartOptions {
  readonly tools: NodeTools
  /** The port of the API server. */
  readonly port: number
  /** The number of nodes, whose names each of them resolves. */
  readonly nodes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts a node that does not run, with the disk of its last start if there is one: its namespaces, networks,
 * containerd, kubelet and kube-proxy. Resolves before the node is Ready.
 */
export async function startNode(node: IsolatedNode, options: StartOptions): Promise<void> {
  const {tools, signal} = options
  await startMachine(node, options)
  await connectNode(node)
  await writeKubeconfig(node, options.port)
  await startContainerd(node, tools.pause, signal)
  await startPart(node.paths, 'kube-proxy', kubeProxy(node, tools['kube-proxy'], node.program))
  await startKubelet(node, tools)
}

export async function startKubelet(node: IsolatedNode, tools: NodeTools): Promise<void> {
  await startPart(node.paths, 'kubelet', kubelet(node, tools.kubelet))
}

/** Writes the kubeconfig of the cluster with the address of the API server that nodes reach. */
async function writeKubeconfig({kubeconfig, paths}: IsolatedNode, port: number): Promise<void> {
  const cluster = JSON.parse(await readFile(paths.kubeconfig, 'utf8')) as Kubeconfig
  for (const each of cluster.clusters) each.cluster.server = `https://${GATEWAY}:${port}`
  await writeFile(kubeconfig, JSON.stringify(cluster, undefined, 2), {mode: 0o600})
}

interface Kubeconfig {
  readonly clusters: readonly {readonly cluster: {server: string}}[]
}

/** Starts the first program of a node. */
async function startMachine(node: IsolatedNode, {nodes, signal}: StartOptions): Promise<void> {
  const {name, paths, init} = node
  await rm(init, {force: true})
  await makeNodeCgroup(name)
  const mounts = await mountsOf(node, nodes)
  const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--fork', '--propagation', 'slave']
  await startPart(paths, MACHINE, {
    argv: [
      ...joined(await joinedGroups(name)),
      // A cgroup namespace begins at the cgroup of the process that makes it.
      ...['unshare', '--cgroup', 'unshare', ...namespaces],
      ...['sh', '-c', BOOT, 'boot', name, paths.directory, init, ...mounts],
    ],
  })
  await waitUntil(paths, {part: MACHINE, until: `${name} has its namespaces`, signal}, () => exists(init))
}

/**
 * Writes the files of a node that replace those of the machine, and returns pairs of what is mounted where.
 */
async function mountsOf({name, paths, resolver}: IsolatedNode, nodes: number): Promise<readonly string[]> {
  await makeDirectory(paths.etc)
  const hosts = nodeNumbers(nodes).map((number) => `${nodeAddress(number)} ${nodeName(number)}\n`)
  const files: Readonly<Record<string, string>> = {
    '/etc/hosts': `127.0.0.1 localhost\n${hosts.join('')}`,
    '/etc/machine-id': `${Buffer.from(name.padEnd(16, '-')).toString('hex')}\n`,
  }
  await writeFile(resolver!, `nameserver ${GATEWAY}\n`)
  const own = Object.entries(files).map(async ([file, content]) => {
    const path = join(paths.etc, file.slice(1).replaceAll('/', '-'))
    await writeFile(path, content)
    return (await exists(file)) ? [path, file] : []
  })
  // A node has all of /run for itself.
  const directories = REPLACED.filter((directory) => !directory.startsWith('/run/'))
  for (const directory of directories) await makeDirectory(replacement(paths, directory))
  const replaced = directories.flatMap((directory) => [replacement(paths, directory), directory])
  return [...(await Promise.all(own)).flat(), ...replaced]
}

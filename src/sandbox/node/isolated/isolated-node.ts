import {join} from 'node:path'
import {cgroupMounts, nodeCgroup} from '../host/cgroups.ts'
import {type LocalNode, readPid} from '../local-node.ts'
import {nodeAddress, podRange, REGISTRY_FOR_PODS} from '../network.ts'
import {type NodePaths, pathsOfNode} from '../paths.ts'

/** The part that holds the namespaces; the others run in them. */
export const MACHINE = 'machine'

/**
 * A node in network, mount, UTS, PID, IPC and cgroup namespaces of its own, which it shares with no other.
 */
export interface IsolatedNode extends LocalNode {
  /** 1 and up. */
  readonly number: number
  /** The file with the process id of its first program, as the machine has it. */
  readonly init: string
}

/** Returns a node by its number; its programs can be started when its first one runs. */
export async function isolatedNode(cluster: NodePaths, number: number): Promise<IsolatedNode> {
  const name = nodeName(number)
  const paths = pathsOfNode(cluster, name, [MACHINE, 'containerd', 'kubelet', 'kube-proxy'])
  const init = join(paths.directory, 'init')
  const groups = await joinedGroups(name)
  const program = (argv: readonly string[]) => [
    ...joined(groups),
    ...['nsenter', '--target', String(readPid(init)), '--all', '--', ...argv],
  ]
  return {
    ...{name, number, paths, init, program, containerd: program},
    address: nodeAddress(number),
    pods: {...podRange(number), gateway: nodeAddress(number)},
    kubeconfig: join(paths.etc, 'kubeconfig'),
    // In its cgroup namespace.
    cgroup: '/',
    registry: REGISTRY_FOR_PODS,
    resolver: join(paths.etc, 'resolv.conf'),
  }
}

/** Returns all of several nodes. */
export function isolatedNodes(cluster: NodePaths, nodes: number): Promise<readonly IsolatedNode[]> {
  return Promise.all(nodeNumbers(nodes).map((number) => isolatedNode(cluster, number)))
}

/** Returns the numbers of several nodes: 1 and up. */
export function nodeNumbers(nodes: number): readonly number[] {
  return Array.from({length: nodes}, (_, index) => index + 1)
}

export function nodeName(number: number): string {
  return `node-${number}`
}

/** Returns the cgroup that a process of the node joins, in each hierarchy. */
export async function joinedGroups(name: string): Promise<readonly string[]> {
  return (await cgroupMounts()).map((mount) => nodeCgroup(mount, name).joined)
}

/**
 * Returns the beginning of a command that moves itself to these cgroups and becomes the rest: who enters a
 * cgroup namespace stays in the cgroup in which it was.
 */
export function joined(groups: readonly string[]): readonly string[] {
  const script = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"'
  return ['sh', '-c', script, 'join', ...groups, '--']
}

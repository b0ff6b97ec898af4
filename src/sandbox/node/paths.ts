import {join} from 'node:path'
import {type SandboxPaths, sandboxPaths} from '../paths.ts'
import {NODE_NAME} from '../sandbox.ts'

/** Where the all-in-one node keeps its files: as a sandbox does, and what its own parts need in `directory`. */
export interface NodePaths extends SandboxPaths {
  readonly directory: string
  readonly logs: string
  /** The configuration files of the parts. */
  readonly etc: string
  /** What stood on the machine before the node, to be put back. */
  readonly before: string
  readonly containerdSocket: string
  /** The kubelet's directory: pods with their volumes. */
  readonly kubelet: string
  /** One directory for each claim. */
  readonly volumes: string
  /** The registry's blobs. */
  readonly registry: string
  /** What takes the place of the machine's own directories inside the node's mount namespace. */
  readonly machine: string
}

export function nodePaths(env: Readonly<Record<string, string | undefined>>): NodePaths {
  const sandbox = sandboxPaths(NODE_NAME, env)
  const directory = join(sandbox.home, 'node')
  return {
    ...sandbox,
    directory,
    logs: join(directory, 'logs'),
    etc: join(directory, 'etc'),
    before: join(directory, 'before.json'),
    containerdSocket: join(directory, 'containerd.sock'),
    kubelet: join(directory, 'kubelet'),
    volumes: join(directory, 'volumes'),
    registry: join(directory, 'registry'),
    machine: join(directory, 'machine'),
  }
}

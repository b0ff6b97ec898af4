import {join} from 'node:path'
import {type SandboxPaths, sandboxPaths} from '../paths.ts'
import {NODE_NAME} from '../sandbox.ts'

/** The paths of the all-in-one node: those of a sandbox, and in `directory` those of its own parts. */
export interface NodePaths extends SandboxPaths {
  readonly directory: string
  readonly logs: string
  /** The configuration files of the parts. */
  readonly etc: string
  /** The state of the machine before the node, to be restored. */
  readonly before: string
  readonly containerdSocket: string
  /** The directory of the volumes, one directory for each claim. */
  readonly volumes: string
  /** The directory of the registry's blobs. */
  readonly registry: string
  /** The directories that replace the machine's own inside the node's mount namespace. */
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
    volumes: join(directory, 'volumes'),
    registry: join(directory, 'registry'),
    machine: join(directory, 'machine'),
  }
}

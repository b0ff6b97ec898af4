import {join} from 'node:path'
import {type SandboxPaths, sandboxPaths} from '../paths.ts'
import {NODE_NAME} from '../sandbox.ts'

/** The paths of the all-in-one node: those of a sandbox, and those of its own parts in `directory`. */
export interface NodePaths extends SandboxPaths {
  readonly directory: string
  readonly logs: string
  /** The configuration files of the parts. */
  readonly etc: string
  /** The record of the machine's previous state, to be restored. */
  readonly before: string
  readonly containerdSocket: string
  /** The directory of volumes, with one subdirectory per claim. */
  readonly volumes: string
  /** The directory of the registry's blobs. */
  readonly registry: string
  /** The directories mounted over the machine's own in the node's mount namespace. */
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

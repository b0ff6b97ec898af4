import {join} from 'node:path'
import {pidFiles, type SandboxPaths, sandboxPaths} from '../paths.ts'
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
    ...ofParts(directory),
    before: join(directory, 'before.json'),
    volumes: join(directory, 'volumes'),
    registry: join(directory, 'registry'),
  }
}

/** Returns the paths of one of several nodes, whose `parts` have files of their own. */
export function pathsOfNode(paths: NodePaths, name: string, parts: readonly string[]): NodePaths {
  const directory = join(paths.directory, 'nodes', name)
  return {...paths, ...ofParts(directory), components: pidFiles(parts, directory)}
}

function ofParts(directory: string) {
  return {
    directory,
    logs: join(directory, 'logs'),
    etc: join(directory, 'etc'),
    containerdSocket: join(directory, 'containerd.sock'),
    machine: join(directory, 'machine'),
  }
}

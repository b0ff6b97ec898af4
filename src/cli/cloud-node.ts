import {KkError} from '../base/errors.ts'
import type {Environment} from '../environment/environment.ts'
import {builtInFiles} from '../state/assets.ts'
import {argument} from './argument.ts'
import type {Console} from './console.ts'
import {type ClusterFlags, type EnvironmentFlags, timeoutSeconds} from './flags.ts'
import {type OpenedCluster, openChosenCluster} from './open/cluster.ts'
import {openEnvironment} from './open/open.ts'

/** The argument of commands for one node of a cloud. */
export const cloudNodeArgument = {
  node: argument({description: 'The node of Kubernetes, and the environment file, in any order.'}),
}

interface OpenedNode {
  readonly environment: Environment
  readonly cluster: OpenedCluster
  readonly node: string
  /** The directory of kk's own files. */
  readonly files: string
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly onProgress: (line: string) => void
}

/**
 * Opens the environment, its cluster, and the node that the arguments name. The caller closes the cluster.
 */
export async function openCloudNode(
  flags: EnvironmentFlags & ClusterFlags & {readonly timeout?: string | undefined},
  argv: readonly string[],
  {
    command,
    timeout,
    console,
  }: {readonly command: string; readonly timeout: number; readonly console: Console},
): Promise<OpenedNode> {
  const seconds = timeoutSeconds(flags.timeout) ?? timeout
  const {environment, releases: nodes} = await openEnvironment(flags, argv)
  const [node] = nodes
  if (node === undefined || nodes.length > 1) {
    throw new KkError('KK_USAGE', `${command} takes one node, got ${nodes.join(', ') || 'none'}`, {
      hint: 'kk node list shows the nodes',
    })
  }
  const cluster = await openChosenCluster(flags, environment)
  return {
    environment,
    cluster,
    node,
    files: await builtInFiles(process.env),
    deadline: Date.now() + seconds * 1000,
    onProgress: (line) => console.say(console.palette('stderr').quiet(line)),
  }
}

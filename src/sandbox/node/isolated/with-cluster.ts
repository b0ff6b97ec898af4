import {KkError} from '../../../base/errors.ts'
import {requireSandbox} from '../../running.ts'
import {NODE_NAME, type Sandbox} from '../../sandbox.ts'
import {withNodeLock} from '../lock.ts'
import {nodePaths} from '../paths.ts'
import {requireRoot} from '../require-root.ts'

export interface ClusterOptions {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Acts on a cluster of several nodes that runs, while no other process starts or stops nodes. */
export async function withCluster<T>(
  {env, onProgress, signal}: ClusterOptions,
  act: (cluster: Sandbox) => Promise<T>,
): Promise<T> {
  requireRoot()
  return withNodeLock(nodePaths(env), {onProgress, signal}, async () => {
    const cluster = await requireSandbox(NODE_NAME, env)
    if (cluster.nodes === 1)
      throw new KkError('KK_AIO', 'the only node is this machine', {
        hint: '"kk aio up --nodes 3" starts nodes that can be stopped one by one',
      })
    return act(cluster)
  })
}

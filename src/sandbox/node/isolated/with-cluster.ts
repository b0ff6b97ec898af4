import {KkError} from '../../../base/errors.ts'
import {withLock} from '../../../state/lock.ts'
import {requireSandbox} from '../../running.ts'
import {NODE_NAME, type Sandbox} from '../../sandbox.ts'
import {nodePaths} from '../paths.ts'
import {requireRoot} from '../require-root.ts'

export type Cluster = Sandbox

export interface ClusterOptions {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Acts on a cluster of several nodes that runs, while no other process starts or stops nodes. */
export async function withCluster(
  {env, onProgress}: ClusterOptions,
  act: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  requireRoot()
  const actLocked = async () => {
    const cluster = await requireSandbox(NODE_NAME, env)
    if (cluster.nodes === 1)
      throw new KkError('KK_AIO', 'the only node is this machine', {
        hint: '"kk aio up --nodes 3" starts nodes that can be stopped one by one',
      })
    await act(cluster)
  }
  await withLock(nodePaths(env).lock, actLocked, {
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping the node; waiting`),
  })
}

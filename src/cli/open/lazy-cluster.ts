import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import {openChosenCluster} from '../open.ts'
import type {ClusterFlags} from './choose-cluster.ts'

/** A cluster that is opened when it is first asked for, and only once. */
export interface LazyCluster {
  readonly open: () => Promise<Cluster>
  /** Closes it if it was opened; never rejects because opening it failed. */
  readonly close: () => Promise<void>
}

export function lazyCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  options: Parameters<typeof openChosenCluster>[2],
): LazyCluster {
  let opened: Promise<Cluster> | undefined
  return {
    open() {
      opened ??= openChosenCluster(flags, environment, options)
      return opened
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}

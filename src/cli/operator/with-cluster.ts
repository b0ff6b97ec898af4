import {argument} from '../argument.ts'
import type {ClusterFlags} from '../flags.ts'
import {type OpenedCluster, openChosenCluster} from '../open/cluster.ts'
import {withOperatorPlace} from '../run/repeat-command.ts'

/** The argument of the commands that control one Environment. */
export const nameArgument = {
  name: argument({description: 'The name of the Environment.', required: true}),
}

/** Opens the cluster that the flags select, and calls `body` with it. */
export async function withCluster<T>(
  flags: ClusterFlags,
  body: (cluster: OpenedCluster) => Promise<T>,
): Promise<T> {
  await using cluster = await openChosenCluster(flags, undefined)
  return await body(cluster).catch((error: unknown) => {
    throw withOperatorPlace(error, flags)
  })
}

import {argument} from '../argument.ts'
import {type ClusterFlags, timeoutFlag, timeoutSeconds} from '../flags.ts'
import {type OpenedCluster, openChosenCluster} from '../open/cluster.ts'
import {withOperatorPlace} from '../run/repeat-command.ts'

/** The argument of the commands that control one Environment. */
export const nameArgument = {
  name: argument({description: 'The name of the Environment.', required: true}),
}

const DEFAULT_TIMEOUT = '20m'

/** How long a command waits for what the operator runs, which `deadline` reads. */
export const waitFlags = {timeout: timeoutFlag('running actions of the operator', DEFAULT_TIMEOUT)}

/** Returns when the wait ends, in milliseconds since the epoch. Throws `KK_USAGE`. */
export function deadline({timeout = DEFAULT_TIMEOUT}: {readonly timeout?: string | undefined}): number {
  return Date.now() + timeoutSeconds(timeout) * 1000
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

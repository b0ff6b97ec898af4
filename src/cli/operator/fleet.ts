import {Flags} from '@oclif/core'
import {once} from '../../base/once.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {EnvironmentSelection} from '../../operator/client/status.ts'
import {type ClusterConnections, openClusterConnections} from '../../operator/cluster-connections.ts'
import type {ClusterFlags, HelmFlags} from '../flags.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {connecting, environmentOpener} from './serve.ts'

/** Select Environments, in addition to their names. */
export const fleetFlags = {
  selector: Flags.string({
    char: 'l',
    summary: 'Only Environments with these labels, such as region=north.',
    helpValue: 'LABELS',
  }),
}

export function requestedEnvironments(
  {selector}: {readonly selector?: string | undefined},
  names: readonly unknown[],
): EnvironmentSelection {
  return {names: names.map(String), selector}
}

interface LazyConnections extends AsyncDisposable {
  readonly open: () => Promise<ClusterConnections>
}

/** Returns the connections to the clusters of all Environments, for reading; opened on first use. */
export function openLazyConnections(flags: ClusterFlags & HelmFlags, hub: Cluster): LazyConnections {
  const closing = new AbortController()
  let opened: ClusterConnections | undefined
  const open = once(async () => {
    const own = {cluster: hub, helm: await openUsersHelm(flags, hub), open: environmentOpener(hub, flags)}
    const {signal} = closing
    opened = openClusterConnections({
      hub: hub.objects,
      own,
      connect: connecting(flags),
      signal,
      enqueue: () => undefined,
    })
    return opened
  })
  return {
    open,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await opened?.close()
    },
  }
}

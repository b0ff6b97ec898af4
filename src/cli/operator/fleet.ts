import {Flags} from '@oclif/core'
import {once} from '../../base/once.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {AskedEnvironments} from '../../operator/client/status.ts'
import {openSites, type Sites} from '../../operator/sites.ts'
import type {ClusterFlags, HelmFlags} from '../flags.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {connecting, opening} from './serve.ts'

/** Which Environments, beside their names. */
export const fleetFlags = {
  selector: Flags.string({
    char: 'l',
    summary: 'Only those with these labels, such as region=north.',
    helpValue: 'LABELS',
  }),
}

export function askedEnvironments(
  {selector}: {readonly selector?: string | undefined},
  names: readonly unknown[],
): AskedEnvironments {
  return {names: names.map(String), selector}
}

interface LookedAt extends AsyncDisposable {
  readonly open: () => Promise<Sites>
}

/** Returns the clusters of all Environments, to look at them; they are opened when they are asked for first. */
export function openSitesToLook(flags: ClusterFlags & HelmFlags, hub: Cluster): LookedAt {
  const closing = new AbortController()
  let opened: Sites | undefined
  const open = once(async () => {
    const own = {cluster: hub, helm: await openUsersHelm(flags, hub), open: opening(hub, flags)}
    const {signal} = closing
    opened = openSites({hub: hub.objects, own, connect: connecting(flags), signal, ring: () => undefined})
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

import type {Cluster} from '../../cluster/cluster.ts'
import type {StatusSubject} from '../../verbs/observation/status-row.ts'
import {openOnCluster} from '../open/on-cluster.ts'
import {type OwnerFlags, openOwner} from '../open/owner.ts'
import {type EnvironmentFlags, openChosenCluster, type ValueFlags} from '../open.ts'

const LOOKING = {start: false, say: () => {}}

/**
 * Whose releases a command looks at: those of its file or, with `--owner` alone, those that the cluster says are its.
 * Whoever asked for it closes the cluster.
 */
export async function statusSubject(
  flags: EnvironmentFlags & ValueFlags & OwnerFlags,
  argv: readonly string[],
): Promise<{readonly subject: StatusSubject; readonly cluster: Cluster}> {
  if (flags.owner !== undefined) {
    const {name, environment, words} = await openOwner(flags, argv)
    if (!environment) {
      const cluster = await openChosenCluster(flags, undefined, LOOKING)
      return {subject: {owner: name!, prepared: undefined, names: words}, cluster}
    }
  }
  const {prepared, releases, cluster} = await openOnCluster(flags, argv, LOOKING)
  return {subject: {owner: prepared.environment.name, prepared, names: releases}, cluster}
}

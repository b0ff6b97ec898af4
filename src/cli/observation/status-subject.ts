import type {Cluster} from '../../cluster/cluster.ts'
import {asKkError} from '../../errors.ts'
import type {StatusSubject} from '../../verbs/observation/status-row.ts'
import {openOnCluster} from '../open/on-cluster.ts'
import {type OwnerFlags, openOwner} from '../open/owner.ts'
import {openSecrets} from '../open/secrets.ts'
import {type EnvironmentFlags, openChosenCluster, prepareUsable, type ValueFlags} from '../open.ts'

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
  const {prepared, releases, cluster} = await openOnCluster(flags, argv, {...LOOKING, prepare: prepareUsable})
  return {subject: {owner: prepared.environment.name, prepared, names: releases}, cluster}
}

/** The same with generated secrets, which decide whether inputs changed; without them for who may not read them. */
export async function withSecrets(
  subject: StatusSubject,
  flags: Parameters<typeof openSecrets>[1],
  cluster: Pick<Cluster, 'secrets'>,
): Promise<StatusSubject> {
  if (!subject.prepared) return subject
  try {
    return {...subject, prepared: (await openSecrets(subject.prepared, flags, cluster)).planned}
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    return subject
  }
}

import type {Cluster} from '../../cluster/cluster.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../../run/execute/work.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {deleteLeftClaims, type LeftClaim} from '../../verbs/removal/left-claims.ts'
import {tell} from '../show/tell.ts'

interface Deleting {
  readonly cluster: Cluster
  /** The command's name. */
  readonly verb: string
  readonly flags: {readonly 'no-wait': boolean}
}

/** Deletes what a removal that was cut short was to delete, and says so; who holds its release is waited for. */
export async function deleteLeft(
  claims: readonly LeftClaim[],
  {cluster, verb, flags}: Deleting,
): Promise<void> {
  const say = (line: string) => tell('stderr', `${line}\n`)
  await deleteLeftClaims(cluster, claims, {
    holder: `${whoAmI()} (process ${process.pid}, kk ${verb})`,
    patience: flags['no-wait'] ? 0 : DEFAULT_TIMEOUT_SECONDS * 1000,
    onHeld: (release, by) => say(`${release} is held by ${by}: waiting for it`),
  })
  for (const {namespace, name, run} of claims)
    say(`deleted the claim ${namespace}/${name}, as run ${run} was to do`)
}

import type {ReleaseId} from '../../release.ts'
import type {Lease} from './lease.ts'
import {sightLease} from './sight.ts'

/** What speaks for and against taking a Lease from its holder, as far as this machine can see. */
export interface Standing {
  /** Neither the holder nor a helm of its runs any more. */
  readonly isGone: boolean
  /** Its helm runs, with its kk or without. */
  readonly isAtWork: boolean
  /** Who is waited for, for messages. */
  readonly by: string
}

export async function standingOf(release: ReleaseId, lease: Lease): Promise<Standing> {
  const {holder, operation} = await sightLease(release, lease)
  const by = lease.spec?.holderIdentity ?? 'somebody'
  const helm = operation?.helm ?? {state: 'gone'}
  if (helm.state !== 'running')
    return {isGone: holder === 'gone' && helm.state === 'gone', isAtWork: false, by}
  const isAlone = operation?.kk === 'gone'
  return {
    isGone: false,
    isAtWork: true,
    by: isAlone ? `${by}, which is gone, but whose helm (process ${helm.process.pid}) still works` : by,
  }
}

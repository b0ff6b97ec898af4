import {reverse} from '../../graph/graph.ts'
import type {ReleaseId} from '../../release.ts'
import type {Uses} from '../uses/uses.ts'

/** A release that was only added as a requirement, and that no release uses now. */
export interface Orphan {
  readonly release: ReleaseId
  readonly owner: string
  readonly revision: number
}

/**
 * Returns the orphans on the cluster, by id. Releases of an older kk, which did not record `stated`, are
 * never orphans.
 */
export function orphans({graph, observed}: Uses): readonly Orphan[] {
  const users = reverse(graph).requirements
  return [...observed.values()].flatMap(({release, labels, record}) => {
    const isOrphan =
      labels?.stated === false && record.status !== 'uninstalled' && users.get(release)!.length === 0
    return isOrphan ? [{release, owner: labels.owner, revision: record.revision}] : []
  })
}

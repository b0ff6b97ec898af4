import {reverse} from '../../graph/graph.ts'
import type {ReleaseId} from '../../release.ts'
import type {Uses} from '../uses/uses.ts'

/** A release that was only added because something required it, and that nothing uses any more. */
export interface Orphan {
  readonly release: ReleaseId
  readonly owner: string
  readonly revision: number
}

/** The orphans on the cluster, in the order of their ids. Releases of an older kk, which did not note it, are none. */
export function orphans({graph, observed}: Uses): readonly Orphan[] {
  const users = reverse(graph).requirements
  return [...observed.values()].flatMap(({release, labels, record}) => {
    const isOrphan =
      labels?.stated === false && record.status !== 'uninstalled' && users.get(release)!.length === 0
    return isOrphan ? [{release, owner: labels.owner, revision: record.revision}] : []
  })
}

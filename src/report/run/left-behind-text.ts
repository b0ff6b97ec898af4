import type {LeftBehind, PassedHealth} from '../../kubernetes/gate/health.ts'
import type {ReleaseId} from '../../release.ts'
import type {Labels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'

/** A release whose gate has passed. */
interface Passed {
  readonly release: ReleaseId
  readonly health?: PassedHealth | undefined
}

/**
 * Returns a line for each node that is left behind, with the DaemonSets of all releases whose pods there are
 * not awaited, and the revision that these run.
 */
export function leftBehindLines(releases: readonly Passed[], labels: Labels): readonly string[] {
  const pods = releases.flatMap(({release, health}) =>
    (health?.notes ?? []).flatMap(({object, leftBehind = []}) =>
      leftBehind.map((left) => ({left, text: `${labels(release)} (${object}, ${podText(left)})`})),
    ),
  )
  const byNode = Map.groupBy(pods, ({left}) => left.node)
  return [...byNode]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([node, at]) => {
      const {reason, since} = at[0]!.left
      const why = since === undefined ? reason : `${reason} since ${since}`
      return plainLine(`node ${node} is left behind, ${why}: ${at.map(({text}) => text).join(', ')}`)
    })
}

function podText({isCurrent, revision}: LeftBehind): string {
  if (isCurrent) return 'current version, not ready'
  return `old version${revision === undefined ? '' : `, revision ${revision}`}`
}

import type {Graph} from '../../graph/graph.ts'
import {criticalPath} from '../../graph/longest-path.ts'
import type {ReleaseId} from '../../release.ts'
import type {ReleaseProgress, RunState} from '../../run/run-state.ts'
import {expectedWork} from '../../run/schedule/schedule.ts'
import {durationText} from '../text/duration.ts'
import type {Labels} from '../text/label.ts'

/**
 * Returns the longest chain of releases that waited for one another, each with its time; empty if no release
 * waited for another.
 */
export function timePathText(state: RunState, labels: Labels): string {
  const path = pathOf(state, secondsOf)
  if (path.length < 2) return ''
  const each = path.map((release) => {
    return `${labels(release)} (${durationText(secondsOf(state.releases.get(release)!))})`
  })
  return `longest path: ${each.join(' → ')}`
}

/** Returns the longest chain of releases that have not ended: no run is shorter than that. */
export function remainingPath(state: RunState): readonly ReleaseId[] {
  const isLeft = ({progress}: ReleaseProgress) => progress.state === 'waiting' || progress.state === 'running'
  return pathOf(state, (each) => (isLeft(each) ? expectedWork(each) : 0))
}

function pathOf(state: RunState, seconds: (release: ReleaseProgress) => number): readonly ReleaseId[] {
  return criticalPath(runGraph(state), (release) => seconds(state.releases.get(release)!))
}

/** Returns the duration of a release, in seconds; 0 until it has ended. */
export function secondsOf({times: {startedAt, endedAt}}: ReleaseProgress): number {
  return startedAt === undefined || endedAt === undefined ? 0 : (endedAt - startedAt) / 1000
}

/** Returns the graph of requirements of a run. */
export function runGraph({releases}: Pick<RunState, 'releases'>): Graph {
  const requirements = [...releases.values()].map(({release: from, requires, applied}) => {
    const inRun = requires.filter((to) => releases.has(to))
    const edges = inRun.map((to) => {
      const kind = applied.includes(to) ? ('applied' as const) : ('ready' as const)
      return {from, to, kind, evidence: []}
    })
    return [from, edges] as const
  })
  return {releases: [...releases.keys()], requirements: new Map(requirements)}
}

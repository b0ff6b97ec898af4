import type {Graph} from '../../../graph/graph.ts'
import type {ReleaseId} from '../../../release.ts'
import {quoted} from '../../graph/graph-dot.ts'
import {withoutImplied} from '../../graph/graph-reduction.ts'
import {allEdges, realGroups} from '../../graph/graph-view.ts'
import type {ReleaseProgress, RunState} from '../../run/run-state.ts'
import {durationText} from '../../text/duration.ts'
import {type Labels, releaseLabels} from '../../text/label.ts'
import {SIGN, WORD} from './state-words.ts'

/**
 * The graph of a run in Graphviz' language: each release with its result, linked to its row. The result is also the
 * class of the node, so that the page's style decides on colours; edges that follow from others are left out.
 */
export function runDot(state: RunState, rowOf: (release: ReleaseId) => string): string {
  const labels = releaseLabels(state.releases.keys())
  const graph = graphOf(state)
  const lines = [
    'digraph run {',
    '  graph [rankdir=TB, bgcolor=transparent, fontname="Helvetica", fontsize=11, nodesep=0.3, ranksep=0.4, pad=0.1];',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=13, margin="0.18,0.08"];',
    '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];',
    ...[...state.releases.values()].map((release) => nodeLine(release, labels, rowOf(release.release))),
    ...realGroups(graph).flatMap((members, number) => [
      `  subgraph ${quoted(`cluster_${number}`)} {`,
      '    label="group"; style="rounded,dashed";',
      ...members.map((release) => `    ${quoted(release)};`),
      '  }',
    ]),
    ...allEdges(withoutImplied(graph)).map(({from, to, kind}) => {
      const style = kind === 'applied' ? ' [style=dashed]' : ''
      return `  ${quoted(from)} -> ${quoted(to)}${style};`
    }),
    '}',
  ]
  return `${lines.join('\n')}\n`
}

function nodeLine({release, progress}: ReleaseProgress, labels: Labels, row: string): string {
  const took = 'seconds' in progress ? `, ${durationText(progress.seconds)}` : ''
  const result = `${SIGN[progress.state]} ${WORD[progress.state]}${took}`
  const attributes = {
    label: `${labels(release)}\n${result}`,
    class: progress.state,
    URL: `#${row}`,
    tooltip: `${labels(release)}: ${result}`,
  }
  const texts = Object.entries(attributes).map(([name, value]) => `${name}=${quoted(value)}`)
  return `  ${quoted(release)} [${texts.join(', ')}];`
}

function graphOf({releases}: RunState): Graph {
  const requirements = new Map(
    [...releases.values()].map(({release, requires, applied}) => [
      release,
      requires
        .filter((to) => releases.has(to))
        .map((to) => ({
          from: release,
          to,
          kind: applied.includes(to) ? ('applied' as const) : ('ready' as const),
          evidence: [],
        })),
    ]),
  )
  return {releases: [...releases.keys()], requirements}
}

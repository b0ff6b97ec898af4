import type {ReleaseId} from '../../release.ts'
import {releaseLabels} from '../text/label.ts'
import type {DrawingOptions} from './graph-dot.ts'
import {withoutImplied} from './graph-reduction.ts'
import {allEdges, type GraphView, OMITTED_EDGES, realGroups} from './graph-view.ts'

/**
 * Returns the graph as a Mermaid flowchart. An edge points from a release to its requirement; `applied` is
 * dotted, a protected release has a double frame.
 */
export function graphMermaid({graph, protected: isProtected}: GraphView, {all}: DrawingOptions): string {
  const labels = releaseLabels(graph.releases)
  // The identifiers are numbers, because Mermaid reads some names, such as `end`, as its own words.
  const ids = new Map(graph.releases.map((release, number) => [release, `r${number}`]))
  const idOf = (release: ReleaseId) => ids.get(release) ?? ''
  const nodes = graph.releases.map((release) => {
    const label = quoted(labels(release))
    return `  ${idOf(release)}${isProtected.has(release) ? `[[${label}]]` : `[${label}]`}`
  })
  const clusters = realGroups(graph).flatMap((members, number) => [
    `  subgraph g${number}["group"]`,
    ...members.map((release) => `    ${idOf(release)}`),
    '  end',
  ])
  const drawn = allEdges(all ? graph : withoutImplied(graph))
  const note = drawn.length === allEdges(graph).length ? [] : [`  %% ${OMITTED_EDGES}`]
  const edges = drawn.map(({from, to, kind, soft}) => {
    const label = soft ? 'order only' : 'applied'
    const arrow = kind === 'applied' ? `-. ${label} .->` : '-->'
    return `  ${idOf(from)} ${arrow} ${idOf(to)}`
  })
  return `${['flowchart TB', ...note, ...nodes, ...clusters, ...edges].join('\n')}\n`
}

/** Returns a quoted text of Mermaid, which has no escapes but character entities (`#` begins one). */
function quoted(text: string): string {
  const entities: Record<string, string> = {
    '"': '#quot;',
    '#': '#35;',
    '<': '#lt;',
    '>': '#gt;',
    '&': '#amp;',
  }
  return `"${text.replaceAll(/["#<>&]/gu, (character) => entities[character] ?? '')}"`
}

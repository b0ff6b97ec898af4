import {releaseLabels} from '../text/label.ts'
import {withoutImplied} from './graph-reduction.ts'
import {allEdges, type GraphView, OMITTED_EDGES, realGroups} from './graph-view.ts'

export interface DrawingOptions {
  /** Whether edges that follow from others are drawn, too. */
  readonly all: boolean
}

/**
 * Returns the graph in the language of Graphviz. An edge points from a release to its requirement; `applied`
 * is dashed, an edge that only orders is dotted, a protected release has two borders.
 */
export function graphDot(
  {environment, graph, protected: isProtected}: GraphView,
  {all}: DrawingOptions,
): string {
  const labels = releaseLabels(graph.releases)
  const nodes = graph.releases.map((release) => {
    const border = isProtected.has(release) ? ', peripheries=2' : ''
    return `  ${quoted(release)} [label=${quoted(labels(release))}${border}];`
  })
  const clusters = realGroups(graph).flatMap((members, number) => [
    `  subgraph ${quoted(`cluster_${number}`)} {`,
    '    label="group"; style="rounded,dashed"; color="#888888"; fontcolor="#888888";',
    ...members.map((release) => `    ${quoted(release)};`),
    '  }',
  ])
  const drawn = allEdges(all ? graph : withoutImplied(graph))
  const note =
    drawn.length === allEdges(graph).length ? [] : [`  label=${quoted(OMITTED_EDGES)}; fontcolor="#888888";`]
  const edges = drawn.map(({from, to, kind, soft}) => {
    const applied = kind === 'applied' ? ' [style=dashed, label="applied"]' : ''
    const style = soft ? ' [style=dotted, label="order only"]' : applied
    return `  ${quoted(from)} -> ${quoted(to)}${style};`
  })
  const lines = [
    `digraph ${quoted(environment)} {`,
    '  graph [rankdir=TB, bgcolor=white, fontname="Helvetica", fontsize=11, nodesep=0.4, ranksep=0.5, pad=0.2];',
    '  node [shape=box, style="rounded,filled", fillcolor="#eef3fb", color="#3b6ea8", fontname="Helvetica", fontsize=13];',
    '  edge [color="#55606e", fontname="Helvetica", fontsize=10, arrowsize=0.7];',
    ...note,
    ...nodes,
    ...clusters,
    ...edges,
    '}',
  ]
  return `${lines.join('\n')}\n`
}

/** Returns a quoted string of the DOT language. A backslash begins an escape in labels, so it is doubled. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}

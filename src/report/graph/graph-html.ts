import type {Graph} from '../../graph/graph.ts'
import type {ReleaseId} from '../../release.ts'
import {foreignMarkup, type Markup, markup} from '../files/markup.ts'
import type {Labels} from '../text/label.ts'
import {quoted} from './graph-dot.ts'
import {withoutImplied} from './graph-reduction.ts'
import type {Viz} from './graph-svg.ts'
import {allEdges, realGroups} from './graph-view.ts'

/** What a drawing shows of a release. */
export interface GraphNode {
  /** The line below its name. */
  readonly text: string
  /** The class of its node, whose colours the style of the page decides. */
  readonly state: string
  /** The address that it links to. */
  readonly address: string
}

interface GraphOptions {
  readonly graph: Graph
  readonly labels: Labels
  readonly node: (release: ReleaseId) => GraphNode
}

/**
 * The maximum number of releases in a drawing: Graphviz takes 2 s, and ten times as long for three times as
 * many.
 */
const MAX_GRAPH_RELEASES = 300

/** Explains a drawing in words. */
export const GRAPH_LEGEND =
  'An arrow leads from a release to what it requires, dashed where the objects of that need only exist. Edges that follow from others are omitted.'

/** Returns the paragraph in place of a drawing that would be too large. */
export function tooLarge(size: number): Markup {
  return markup`<p>A graph of ${size} releases is not drawn; up to ${MAX_GRAPH_RELEASES} are.</p>`
}

/**
 * Returns a graph as SVG to embed in a page, drawn by Graphviz, with links and classes but without colours or
 * styles of its own; edges that follow from others are omitted. Returns undefined if it would be too large.
 */
export async function drawnGraph(
  options: GraphOptions,
  loadViz: () => Promise<Viz>,
): Promise<Markup | undefined> {
  if (options.graph.releases.length > MAX_GRAPH_RELEASES) return undefined
  const svg = (await loadViz()).renderString(graphDot(options), {format: 'svg_inline', engine: 'dot'})
  // Without Graphviz' comments and the titles of its parts, which repeat its internal names.
  return foreignMarkup(svg.replaceAll(/<!--[\s\S]*?-->\n?|<title>[^<]*<\/title>\n?/gu, ''))
}

function graphDot({graph, labels, node}: GraphOptions): string {
  const lines = [
    'digraph run {',
    '  graph [rankdir=TB, bgcolor=transparent, fontname="Helvetica", fontsize=11, nodesep=0.3, ranksep=0.4, pad=0.1];',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=13, margin="0.18,0.08"];',
    '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];',
    ...graph.releases.map((release) => nodeLine(release, labels(release), node(release))),
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

function nodeLine(release: ReleaseId, name: string, {text, state, address}: GraphNode): string {
  const attributes = {label: `${name}\n${text}`, class: state, URL: address, tooltip: `${name}: ${text}`}
  const texts = Object.entries(attributes).map(([key, value]) => `${key}=${quoted(value)}`)
  return `  ${quoted(release)} [${texts.join(', ')}];`
}

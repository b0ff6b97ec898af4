import type {Viz} from '../../graph/graph-svg.ts'
import {foreignMarkup, type Markup, markup} from '../markup.ts'
import {runDot} from './run-dot.ts'
import type {SectionOptions} from './section.ts'

/** Graphviz needs 2 s for so many, and ten times as long for three times as many. */
const MOST_RELEASES = 300

/** Who required whom, coloured by result, drawn by Graphviz. */
export async function graphSection(
  {state, rowOf}: SectionOptions,
  loadViz: () => Promise<Viz>,
): Promise<Markup> {
  const {size} = state.releases
  const drawing =
    size > MOST_RELEASES
      ? markup`<p>A graph of ${size} releases is not drawn; up to ${MOST_RELEASES} are.</p>`
      : markup`<div class="scroll graph" role="region" aria-labelledby="graph" tabindex="0">
${drawn((await loadViz()).renderString(runDot(state, rowOf), {format: 'svg_inline', engine: 'dot'}))}</div>
<p class="quiet">An arrow leads from a release to what it requires, dashed where the objects of that need only exist. Edges that follow from others are left out.</p>`
  return markup`<section aria-labelledby="graph">
<h2 id="graph">Graph</h2>
${drawing}
</section>
`
}

/** Graphviz' comments and the titles of its parts, which repeat its internal names, say nothing to a reader. */
function drawn(svg: string): Markup {
  return foreignMarkup(svg.replaceAll(/<!--[\s\S]*?-->\n?|<title>[^<]*<\/title>\n?/gu, ''))
}

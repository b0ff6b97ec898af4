import {type DrawingOptions, graphDot} from './graph-dot.ts'
import type {GraphView} from './graph-view.ts'

/** The part of Graphviz that kk uses; `instance()` of `@viz-js/viz` returns it. */
export interface Viz {
  renderString(dot: string, options: {readonly format: string; readonly engine: string}): string
}

/**
 * Returns the graph as drawn by Graphviz. `loadViz` is called on use, because Graphviz is a separate bundle
 * in the executable.
 */
export async function graphSvg(
  view: GraphView,
  options: DrawingOptions,
  loadViz: () => Promise<Viz>,
): Promise<string> {
  const viz = await loadViz()
  return viz.renderString(graphDot(view, options), {format: 'svg', engine: 'dot'})
}

import {type DrawingOptions, graphDot} from './graph-dot.ts'
import type {GraphView} from './graph-view.ts'

/** What is needed of Graphviz; `instance()` of `@viz-js/viz` gives it. */
export interface Viz {
  renderString(dot: string, options: {readonly format: string; readonly engine: string}): string
}

/** The graph drawn by Graphviz. `loadViz` is called on use: Graphviz is a bundle of its own in the executable. */
export async function graphSvg(
  view: GraphView,
  options: DrawingOptions,
  loadViz: () => Promise<Viz>,
): Promise<string> {
  const viz = await loadViz()
  return viz.renderString(graphDot(view, options), {format: 'svg', engine: 'dot'})
}

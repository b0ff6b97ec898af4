import {instance} from '@viz-js/viz'
import {graphSvg} from '../../src/report/graph/graph-svg.ts'
import {SIX} from '../../test/report/support/graphs.ts'

/** The graph of the six services, as `kk graph environments/all-in-one.yaml --format svg` draws it. */
export function graphPicture(): Promise<string> {
  return graphSvg(SIX, {all: false}, instance)
}

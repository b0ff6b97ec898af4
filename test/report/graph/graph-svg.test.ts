import {instance} from '@viz-js/viz'
import {expect, it} from 'vitest'
import {graphSvg} from '../../../src/report/graph/graph-svg.ts'
import {SIX} from '../support/graphs.ts'

it('the graph as SVG has every release and every edge', async () => {
  const svg = await graphSvg(SIX, {all: true}, instance)

  expect(svg).toContain('<svg')
  expect(svg.match(/class="node"/g)).toHaveLength(6)
  expect(svg.match(/class="edge"/g)).toHaveLength(9)
})

import {expect, it} from 'vitest'
import {why} from '../../../src/graph/why.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {palette} from '../../../src/report/colour.ts'
import {graphDot} from '../../../src/report/graph/graph-dot.ts'
import {graphDocument} from '../../../src/report/graph/graph-json.ts'
import {graphMermaid} from '../../../src/report/graph/graph-mermaid.ts'
import {graphTree} from '../../../src/report/graph/graph-tree.ts'
import {whyText} from '../../../src/report/graph/why-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {INFERRED} from '../support/graphs.ts'

const FROM = 'openstack/dashboard'

function whyOf(to: ReleaseId): string {
  return viewText(whyText({from: FROM, to, path: why(INFERRED.graph, FROM, to)}, palette(0)))
}

it('an inferred requirement is explained by the object that waits, and its file', () => {
  expect(whyOf('openstack/keystone')).toBe(
    `dashboard requires keystone (inferred)
  dashboard/templates/deployment.yaml  Deployment/dashboard init container wait waits in a script for: Service/keystone-api
`,
  )
})

it('a requirement that only orders releases is marked as such', () => {
  expect(whyOf('openstack/mariadb')).toContain('dashboard requires mariadb (inferred, order only)')
  expect(viewText(graphTree(INFERRED, palette(0)))).toContain('requires keystone, mariadb (order only)')
})

it('documents distinguish inferred requirements from stated ones', () => {
  const [dashboard] = graphDocument(INFERRED).releases

  expect(dashboard!.requires.map(({evidence: _, ...edge}) => edge)).toEqual([
    {release: 'openstack/keystone', kind: 'ready', inferred: true},
    {release: 'openstack/mariadb', kind: 'order', inferred: true},
  ])
})

it('drawings mark edges that only order releases', () => {
  expect(graphDot(INFERRED, {all: true})).toContain('[style=dotted, label="order only"]')
  expect(graphMermaid(INFERRED, {all: true})).toContain('r0 -. order only .-> r2')
})

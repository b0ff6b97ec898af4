import {expect, it} from 'vitest'
import {why} from '../../../src/graph/why.ts'
import {palette} from '../../../src/report/colour.ts'
import {whyText} from '../../../src/report/graph/why-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {WITH_GROUP} from '../support/graphs.ts'

function whyOf(from: `${string}/${string}`, to: `${string}/${string}`): string {
  return viewText(whyText({from, to, path: why(WITH_GROUP.graph, from, to)}, palette(0)))
}

it('the path between two releases is shown with its evidence', () => {
  expect(whyOf('openstack/neutron', 'openstack/placement')).toMatchInlineSnapshot(`
    "neutron requires nova (applied)
      charts/neutron/Chart.yaml:9  kk.openstack.org/requires: "keystone, nova:applied"
    nova requires placement
      charts/nova/Chart.yaml:9  kk.openstack.org/requires: "placement, keystone, neutron:applied"
    "
  `)
})

it('a missing path between two releases is reported', () => {
  expect(whyOf('openstack/keystone', 'openstack/heat')).toBe('keystone does not need heat\n')
})

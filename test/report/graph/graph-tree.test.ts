import {describe, expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {graphTree} from '../../../src/report/graph/graph-tree.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {graphOf, SIX, WITH_GROUP} from '../support/graphs.ts'

describe('the graph as a tree of levels', () => {
  it('shows each release with its requirements, and marks protected and shared ones', () => {
    expect(viewText(graphTree(SIX, palette(0)))).toMatchInlineSnapshot(`
      "level 0
        mariadb    requires nothing  protected, shared by 3 releases
        memcached  requires nothing  shared by 3 releases
        rabbitmq   requires nothing  protected, shared by 3 releases
      level 1
        keystone  requires mariadb, memcached, rabbitmq  shared by 2 releases
      level 2
        glance   requires mariadb, memcached, rabbitmq, keystone
        horizon  requires memcached, keystone
      "
    `)
  })

  it('marks groups and applied edges', () => {
    expect(viewText(graphTree(WITH_GROUP, palette(0)))).toMatchInlineSnapshot(`
      "level 0
        keystone  requires nothing  shared by 4 releases
      level 1
        placement  requires keystone  shared by 3 releases
      level 2
        nova     requires placement, keystone, neutron (applied)  group with neutron, shared by 2 releases
        neutron  requires keystone, nova (applied)                group with nova, shared by 2 releases
      level 3
        heat  requires nova, neutron, keystone
      "
    `)
  })

  it('reports that there are no releases', () => {
    const empty = {environment: 'empty', graph: graphOf({}), protected: new Set<never>()}

    expect(viewText(graphTree(empty, palette(0)))).toBe('no releases\n')
  })
})

import {instance} from '@viz-js/viz'
import {describe, expect, it} from 'vitest'
import {graphDot} from '../../../src/report/graph/graph-dot.ts'
import {graphOf, SIX, WITH_GROUP} from '../support/graphs.ts'

describe('the graph in the DOT language', () => {
  it('omits edges that follow from others', () => {
    expect(graphDot(SIX, {all: false})).toMatchInlineSnapshot(`
      "digraph "all-in-one" {
        graph [rankdir=TB, bgcolor=white, fontname="Helvetica", fontsize=11, nodesep=0.4, ranksep=0.5, pad=0.2];
        node [shape=box, style="rounded,filled", fillcolor="#eef3fb", color="#3b6ea8", fontname="Helvetica", fontsize=13];
        edge [color="#55606e", fontname="Helvetica", fontsize=10, arrowsize=0.7];
        label="edges that follow from others are omitted; --all draws them"; fontcolor="#888888";
        "openstack/mariadb" [label="mariadb", peripheries=2];
        "openstack/memcached" [label="memcached"];
        "openstack/rabbitmq" [label="rabbitmq", peripheries=2];
        "openstack/keystone" [label="keystone"];
        "openstack/glance" [label="glance"];
        "openstack/horizon" [label="horizon"];
        "openstack/keystone" -> "openstack/mariadb";
        "openstack/keystone" -> "openstack/memcached";
        "openstack/keystone" -> "openstack/rabbitmq";
        "openstack/glance" -> "openstack/keystone";
        "openstack/horizon" -> "openstack/keystone";
      }
      "
    `)
  })

  it('has all edges on request', () => {
    const arrows = graphDot(SIX, {all: true}).match(/ -> /g)

    expect(arrows).toHaveLength(9)
  })

  it('frames groups and draws applied edges dashed', () => {
    expect(graphDot(WITH_GROUP, {all: true})).toMatchInlineSnapshot(`
      "digraph "compute" {
        graph [rankdir=TB, bgcolor=white, fontname="Helvetica", fontsize=11, nodesep=0.4, ranksep=0.5, pad=0.2];
        node [shape=box, style="rounded,filled", fillcolor="#eef3fb", color="#3b6ea8", fontname="Helvetica", fontsize=13];
        edge [color="#55606e", fontname="Helvetica", fontsize=10, arrowsize=0.7];
        "openstack/keystone" [label="keystone"];
        "openstack/placement" [label="placement"];
        "openstack/nova" [label="nova"];
        "openstack/neutron" [label="neutron"];
        "openstack/heat" [label="heat"];
        subgraph "cluster_0" {
          label="group"; style="rounded,dashed"; color="#888888"; fontcolor="#888888";
          "openstack/nova";
          "openstack/neutron";
        }
        "openstack/placement" -> "openstack/keystone";
        "openstack/nova" -> "openstack/placement";
        "openstack/nova" -> "openstack/keystone";
        "openstack/nova" -> "openstack/neutron" [style=dashed, label="applied"];
        "openstack/neutron" -> "openstack/keystone";
        "openstack/neutron" -> "openstack/nova" [style=dashed, label="applied"];
        "openstack/heat" -> "openstack/nova";
        "openstack/heat" -> "openstack/neutron";
        "openstack/heat" -> "openstack/keystone";
      }
      "
    `)
  })

  it('quotes names so that Graphviz displays them unchanged', async () => {
    const name = 'a"b\\n -> c'
    const graph = graphOf({[name]: []})
    const viz = await instance()

    const dot = graphDot({environment: 'a"\\', graph, protected: new Set()}, {all: true})

    expect(viz.renderString(dot, {format: 'svg'})).toContain('>a&quot;b\\n &#45;&gt; c</text>')
  })
})

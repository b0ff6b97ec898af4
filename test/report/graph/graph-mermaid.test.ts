import {describe, expect, it} from 'vitest'
import {graphMermaid} from '../../../src/report/graph/graph-mermaid.ts'
import {graphOf, SIX, WITH_GROUP} from '../support/graphs.ts'

describe('the graph as a Mermaid flowchart', () => {
  it('omits edges that follow from others', () => {
    expect(graphMermaid(SIX, {all: false})).toMatchInlineSnapshot(`
      "flowchart TB
        %% edges that follow from others are omitted; --all draws them
        r0[["mariadb"]]
        r1["memcached"]
        r2[["rabbitmq"]]
        r3["keystone"]
        r4["glance"]
        r5["horizon"]
        r3 --> r0
        r3 --> r1
        r3 --> r2
        r4 --> r3
        r5 --> r3
      "
    `)
  })

  it('frames groups and draws applied edges dotted', () => {
    expect(graphMermaid(WITH_GROUP, {all: true})).toMatchInlineSnapshot(`
      "flowchart TB
        r0["keystone"]
        r1["placement"]
        r2["nova"]
        r3["neutron"]
        r4["heat"]
        subgraph g0["group"]
          r2
          r3
        end
        r1 --> r0
        r2 --> r1
        r2 --> r0
        r2 -. applied .-> r3
        r3 --> r0
        r3 -. applied .-> r2
        r4 --> r2
        r4 --> r3
        r4 --> r0
      "
    `)
  })

  it('quotes names, including reserved words of Mermaid', () => {
    const graph = graphOf({end: [], 'a"#b': ['end']})

    const text = graphMermaid({environment: 'x', graph, protected: new Set()}, {all: true})

    expect(text).toMatchInlineSnapshot(`
      "flowchart TB
        r0["end"]
        r1["a#quot;#35;b"]
        r1 --> r0
      "
    `)
  })
})

import {describe, expect, it} from 'vitest'
import type {Edge, Graph} from '../../../src/graph/graph.ts'
import {groups} from '../../../src/graph/groups.ts'
import type {InferredRequirement} from '../../../src/graph/inference/infer.ts'
import {refine} from '../../../src/graph/inference/refine.ts'
import {waitingHooks} from '../../../src/prepare/inference/notes.ts'
import type {Waiter} from '../../../src/release.ts'
import {graphOf, id} from '../graph-of.ts'

const evidence = (waiter: Waiter = 'workload') =>
  ({source: 'inferred', file: 'x', waiter, text: 'Deployment/api waits'}) as const

/** The same graph, as if none of it were written down. */
function inferred(graph: Graph, waiter?: Waiter): Graph {
  const changed = (edges: readonly Edge[]) => edges.map((edge) => ({...edge, evidence: [evidence(waiter)]}))
  return {
    releases: graph.releases,
    requirements: new Map([...graph.requirements].map(([release, edges]) => [release, changed(edges)])),
  }
}

function soft(from: string, to: string): InferredRequirement {
  return {from: id(from), to: id(to), kind: 'soft', evidence: evidence()}
}

function lines({requirements}: Graph): readonly string[] {
  return [...requirements.values()]
    .flat()
    .map(({from, to, kind, soft: isSoft}) =>
      `${from} ${to} ${kind}${isSoft ? ' soft' : ''}`.replaceAll('openstack/', ''),
    )
}

describe('releases that need each other', () => {
  const CYCLE = graphOf({nova: ['neutron'], neutron: ['libvirt'], libvirt: ['nova'], horizon: ['nova']})

  it('become a group if their edges are inferred', () => {
    const refined = refine(inferred(CYCLE), [])

    expect(lines(refined)).toEqual([
      'nova neutron applied',
      'neutron libvirt applied',
      'libvirt nova applied',
      'horizon nova ready',
    ])
    expect(groups(refined).get(id('nova'))).toHaveLength(3)
  })

  it('remain an error if their edges are explicit', () => {
    expect(() => groups(refine(CYCLE, []))).toThrow(expect.objectContaining({code: 'KK_CYCLE'}))
  })

  it.each([
    ['hook', 3],
    ['job', 0],
  ] as const)('are reported if a %s waits in them: %i', (waiter, count) => {
    expect(waitingHooks(refine(inferred(CYCLE, waiter), []))).toHaveLength(count)
  })
})

describe('soft requirements', () => {
  const STATED = graphOf({a: ['b'], b: [], c: []})

  it('order the present releases', () => {
    expect(lines(refine(STATED, [soft('c', 'a')]))).toContain('c a applied soft')
  })

  it.each([
    ['that would close a cycle', soft('b', 'a')],
    ['to what is not there', soft('c', 'missing')],
    ['that is one already', soft('a', 'b')],
  ])('are ignored: one %s', (_, requirement) => {
    expect(lines(refine(STATED, [requirement]))).toEqual(['a b ready'])
  })

  it('are added in the order of names, however they are ordered', () => {
    const [one, other] = [soft('b', 'c'), soft('c', 'b')]

    const expected = ['a b ready', 'b c applied soft']

    expect(lines(refine(STATED, [one, other]))).toEqual(expected)
    expect(lines(refine(STATED, [other, one]))).toEqual(expected)
  })
})

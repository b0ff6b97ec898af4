import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {requirements} from '../../../src/graph/requirements.ts'
import {withoutImplied} from '../../../src/report/graph/graph-reduction.ts'
import {allEdges} from '../../../src/report/graph/graph-view.ts'
import {graphOf} from '../support/graphs.ts'

function edgesLeft(requires: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return allEdges(withoutImplied(graphOf(requires))).map(
    ({from, to, kind}) => `${from.slice(10)} → ${to.slice(10)}${kind === 'applied' ? ' (applied)' : ''}`,
  )
}

describe('a graph without the edges that follow from others', () => {
  it.each([
    ['a longer way', {a: ['b', 'c'], b: ['c'], c: []}, ['a → b', 'b → c']],
    [
      'two ways of one length',
      {a: ['b', 'c'], b: ['d'], c: ['d'], d: []},
      ['a → b', 'a → c', 'b → d', 'c → d'],
    ],
    ['health after objects', {a: ['b', 'c'], b: ['c:applied'], c: []}, ['a → b', 'a → c', 'b → c (applied)']],
    ['objects after health', {a: ['b:applied', 'c'], b: ['c'], c: []}, ['a → b (applied)', 'b → c']],
    [
      'a group',
      {a: ['b', 'c'], b: ['c:applied'], c: ['b:applied']},
      ['a → b', 'a → c', 'b → c (applied)', 'c → b (applied)'],
    ],
  ])('has the necessary edges: %s', (_name, requires, expected) => {
    expect(edgesLeft(requires)).toEqual(expected)
  })

  it('has the same direct and indirect requirements', () => {
    const dag = fc.array(fc.array(fc.boolean(), {minLength: 8, maxLength: 8}), {minLength: 8, maxLength: 8})
    fc.assert(
      fc.property(dag, (matrix) => {
        const names = matrix.map((_, index) => `r${index}`)
        const graph = graphOf(
          Object.fromEntries(
            names.map((name, row) => [name, names.filter((_, to) => to < row && matrix[row]![to])]),
          ),
        )

        const reduced = withoutImplied(graph)

        for (const release of graph.releases) {
          expect(requirements(reduced, [release])).toEqual(requirements(graph, [release]))
        }
      }),
    )
  })
})

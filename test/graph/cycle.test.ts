import {expect, test} from 'vitest'
import type {Graph} from '../../src/graph/graph.ts'
import {cycle, cycleError} from '../../src/graph/groups.ts'
import {graphOf, id} from './graph-of.ts'

function errorOf(graph: Graph, from: string, to: string) {
  const edge = graph.requirements.get(id(from))!.find((candidate) => candidate.to === id(to))!
  return cycleError(cycle(graph, edge))
}

test('cycleError prints the whole path, with the source of each edge', () => {
  const graph = graphOf({a: ['b'], b: ['c:applied'], c: ['a']})

  const error = errorOf(graph, 'a', 'b')

  expect(error.message).toBe(
    [
      'releases need each other: a → b → c → a',
      '  a requires b (ready): charts/a/Chart.yaml: kk.openstack.org/requires: "b"',
      '  b requires c (applied): charts/b/Chart.yaml: kk.openstack.org/requires: "c:applied"',
      '  c requires a (ready): charts/c/Chart.yaml: kk.openstack.org/requires: "a"',
    ].join('\n'),
  )
  expect(error.hint).toContain('kk.releases.a: {without: [b], requires: [{release: b, kind: applied}]}')
})

test('cycleError prints the shortest of several cycles', () => {
  const graph = graphOf({a: ['b'], b: ['c', 'a'], c: ['a']})

  const error = errorOf(graph, 'a', 'b')

  expect(error.message).toContain('a → b → a\n')
})

test('cycleError prints namespaces if there are several', () => {
  const graph = graphOf({'one/a': ['two/a'], 'two/a': ['one/a']})

  const error = errorOf(graph, 'one/a', 'two/a')

  expect(error.message).toContain('one/a → two/a → one/a')
})

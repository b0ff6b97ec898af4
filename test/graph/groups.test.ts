import {expect, test} from 'vitest'
import {groups} from '../../src/graph/groups.ts'
import {graphOf, id, names} from './graph-of.ts'

test('groups contains releases that need each other by applied edges', () => {
  const graph = graphOf({
    nova: ['placement', 'neutron:applied'],
    neutron: ['ironic:applied'],
    ironic: ['nova:applied'],
    placement: [],
  })

  const result = groups(graph)

  expect(names(result.get(id('ironic'))!)).toEqual(['nova', 'neutron', 'ironic'])
  expect(names(result.get(id('placement'))!)).toEqual(['placement'])
})

test('groups reports a ready edge inside a group as KK_CYCLE', () => {
  const graph = graphOf({nova: ['neutron:applied'], neutron: ['nova']})

  expect(() => groups(graph)).toThrow(expect.objectContaining({code: 'KK_CYCLE', exit: 2}))
})

test('groups reports a release that requires itself as KK_CYCLE', () => {
  const graph = graphOf({nova: ['nova']})

  expect(() => groups(graph)).toThrow(/nova → nova/)
})

import {expect, test} from 'vitest'
import {condense} from '../../src/graph/condense.ts'
import {graphOf, names} from './graph-of.ts'

test('a group becomes one part that requires what any member requires', () => {
  const graph = graphOf({
    nova: ['neutron:applied', 'glance'],
    neutron: ['nova:applied', 'glance', 'mariadb'],
    glance: ['mariadb'],
    mariadb: [],
  })

  const {parts, requirements} = condense(graph)

  expect(parts.map(names)).toEqual([['mariadb'], ['glance'], ['nova', 'neutron']])
  expect(requirements).toEqual([[], [0], [1, 0]])
})

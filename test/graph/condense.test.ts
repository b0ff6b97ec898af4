import {expect, test} from 'vitest'
import {condense} from '../../src/graph/condense.ts'
import {graphOf, names} from './graph-of.ts'

test('condense contracts a group to one part with the requirements of all members', () => {
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

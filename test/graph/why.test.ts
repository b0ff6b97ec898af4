import {expect, test} from 'vitest'
import {why} from '../../src/graph/why.ts'
import {releaseName} from '../../src/release.ts'
import {graphOf, id} from './graph-of.ts'

const graph = graphOf({
  horizon: ['glance', 'keystone'],
  glance: ['rabbitmq', 'keystone'],
  keystone: ['mariadb'],
  mariadb: [],
  rabbitmq: [],
  nova: ['neutron:applied'],
  neutron: ['nova:applied'],
})

test.each([
  {from: 'horizon', to: 'mariadb', path: ['horizon → keystone', 'keystone → mariadb']},
  {from: 'horizon', to: 'rabbitmq', path: ['horizon → glance', 'glance → rabbitmq']},
  {from: 'nova', to: 'nova', path: ['nova → neutron', 'neutron → nova']},
  {from: 'mariadb', to: 'horizon', path: undefined},
  {from: 'mariadb', to: 'mariadb', path: undefined},
])('$from needs $to by $path', ({from, to, path}) => {
  const result = why(graph, id(from), id(to))

  expect(result?.map((edge) => `${releaseName(edge.from)} → ${releaseName(edge.to)}`)).toEqual(path)
})

import {expect, test} from 'vitest'
import {chartLabel, labelChanges, labelsOf, readLabels, usesLabel} from '../../src/plan/labels.ts'
import {id} from '../graph/graph-of.ts'
import {desiredOf} from './fixtures.ts'

test('written labels are read back', () => {
  const keystone = desiredOf('keystone', {requires: ['mariadb', 'nova:applied'], layers: {section: {a: 1}}})

  const labels = readLabels({...labelsOf(keystone, 3), 'kk.openstack.org/gated': '2'})

  expect(labels).toMatchObject({owner: 'all-in-one', revision: 3, gated: 2, chart: 'keystone-0.1.0'})
  expect([...labels!.layers.keys()]).toEqual(['chart', 'flags', 'section'])
  expect([...labels!.uses]).toEqual([
    [usesLabel(id('mariadb')), 'ready'],
    [usesLabel(id('nova')), 'applied'],
  ])
})

test('a record without an owner does not belong to kk', () => {
  expect(readLabels({team: 'storage'})).toBeUndefined()
})

test('Kubernetes accepts every name and value', () => {
  const long = 'a-name-that-is-as-long-as-helm-lets-a-release-name-be'
  const labels = labelsOf(desiredOf(long, {requires: [long], version: '2026.1.0-rc.1+build.7'}), 12)

  for (const [name, value] of Object.entries(labels)) {
    expect(name).toMatch(/^[a-z.]{1,253}\/[A-Za-z0-9][-A-Za-z0-9_.]{0,61}[A-Za-z0-9]$/)
    expect(value).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
  }
})

test.each([
  {chart: {name: 'keystone', version: '0.1.0+2025'}, label: 'keystone-0.1.0_2025'},
  {chart: {name: 'n'.repeat(61), version: '0.1.0'}, label: `${'n'.repeat(61)}-0`},
  {chart: {name: 'n'.repeat(62), version: '0.1.0'}, label: 'n'.repeat(62)},
])('the chart $chart is labelled $label', ({chart, label}) => {
  expect(chartLabel(chart)).toBe(label)
})

test('an upgrade removes labels that helm would copy: the gate, and dropped layers and requirements', () => {
  const before = {
    ...labelsOf(desiredOf('keystone', {requires: ['mariadb'], layers: {set: {a: 1}}}), 2),
    'kk.openstack.org/gated': '2',
    team: 'identity',
  }
  const next = labelsOf(desiredOf('keystone', {requires: ['memcached']}), 3)

  const changes = labelChanges(next, before)

  expect(changes).toEqual({
    ...next,
    'kk.openstack.org/gated': null,
    'layer.kk.openstack.org/set': null,
    [usesLabel(id('mariadb'))]: null,
  })
})

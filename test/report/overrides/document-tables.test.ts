import {describe, expect, it} from 'vitest'
import {
  chartTable,
  deletedText,
  prettyTable,
  propertyTable,
} from '../../../src/report/overrides/overrides-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {shownAfter} from '../../support/overrides-document.ts'

const OPENSTACK = [
  'ceilometer',
  'cinder',
  'glance',
  'gnocchi',
  'heat',
  'horizon',
  'keystone',
  'libvirt',
  'mariadb',
]
const MORE = ['memcached', 'neutron', 'nova', 'openvswitch', 'rabbitmq']

describe('the tables of overrides in the StarlingX documentation', () => {
  it('list charts with their namespaces', () => {
    const charts = [
      ...[...OPENSTACK, ...MORE].map((name) => ({name, namespaces: ['openstack']})),
      {name: 'ingress', namespaces: ['kube-system', 'openstack']},
      {name: 'rbd-provisioner', namespaces: ['kube-system']},
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1))

    expect(viewText([chartTable(charts)])).toBe(shownAfter('helm-override-list'))
  })

  it('show updated overrides, with an empty row after a value that ends with a line break', () => {
    const properties = {user_overrides: 'pod:\n  replicas: 2\n', namespace: 'openstack', name: 'rabbitmq'}

    expect(viewText([propertyTable(properties)])).toBe(shownAfter('helm-override-update'))
  })

  it('show all overrides of a chart, sorted', () => {
    const properties = {
      name: 'rabbitmq',
      namespace: 'openstack',
      system_overrides: 'pod:\n  replicas: {server: 1}\n',
      user_overrides: 'pod:\n  replicas: 2\n',
      combined_overrides: 'pod:\n  replicas: 2\n',
    }

    expect(viewText([propertyTable(properties)])).toBe(shownAfter('helm-override-show'))
  })

  it('confirm a deletion', () => {
    expect(deletedText('rabbitmq', 'openstack')).toBe(shownAfter('helm-override-delete'))
  })

  it('have an empty cell for an empty value, and align by columns instead of characters', () => {
    const text = viewText([
      prettyTable([
        ['Property', 'Value'],
        ['name', '日本'],
        ['user_overrides', ''],
      ]),
    ])

    expect(text.split('\n')).toEqual([
      '+----------------+-------+',
      '| Property       | Value |',
      '+----------------+-------+',
      '| name           | 日本  |',
      '| user_overrides |       |',
      '+----------------+-------+',
      '',
    ])
  })
})

import {describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {componentsOf} from '../../src/charts/components-of.ts'

const ENDPOINTS = {
  oslo_db: {namespace: null, hosts: {default: 'mariadb'}},
  identity: {namespace: 'identity', hosts: {default: 'keystone', internal: 'keystone-api'}},
}

function explained(values: Values, names = ['mariadb', 'keystone', 'neutron', 'libvirt', 'nova']) {
  return componentsOf({values: {endpoints: ENDPOINTS, ...values}, chart: 'nova', names})
}

function waiting(block: object, more: Values = {}) {
  return explained({dependencies: {static: {compute: block}}, ...more})[0]!.requires
}

describe('the requirements of a component by the values of its chart', () => {
  it.each([
    [
      'a service by its endpoint',
      {services: [{endpoint: 'internal', service: 'identity'}]},
      [{kind: 'ready', what: 'service identity = identity:keystone-api', chart: 'keystone'}],
    ],
    [
      'a service that has no endpoint',
      {services: [{endpoint: 'internal', service: 'unknown'}]},
      [{kind: 'ready', what: 'service unknown, which endpoints does not have'}],
    ],
    ['a job of its own', {jobs: ['nova-db-sync']}, [{kind: 'ready', what: 'job nova-db-sync'}]],
    [
      'pods by their application',
      {pod: [{labels: {application: 'libvirt', component: 'libvirt'}, requireSameNode: true}]},
      [{kind: 'ready', what: 'pod application=libvirt,component=libvirt', chart: 'libvirt'}],
    ],
    [
      'a daemonset',
      {daemonset: ['neutron-ovs-agent']},
      [{kind: 'ready', what: 'daemonset neutron-ovs-agent', chart: 'neutron'}],
    ],
    ['boilerplate', {services: [{endpoint: 'node', service: 'local_image_registry'}]}, []],
  ])('%s', (_, block, expected) => {
    expect(waiting(block)).toEqual(expected)
  })

  it('are only possible while the component is disabled', () => {
    const found = explained({
      dependencies: {static: {compute_ironic: {services: [{endpoint: 'internal', service: 'oslo_db'}]}}},
      manifests: {statefulset_compute_ironic: false, deployment_api: true},
    })

    expect(found[0]).toMatchObject({
      name: 'compute_ironic',
      isOn: false,
      switches: ['statefulset_compute_ironic'],
      requires: [{kind: 'soft', chart: 'mariadb'}],
    })
  })

  it.each([
    ['chosen', {network: {backend: ['openvswitch']}}, 'ready'],
    ['not chosen', {network: {backend: ['linuxbridge']}}, 'soft'],
  ])('include the block of a backend if that is %s', (_, values, kind) => {
    const dependencies = {
      dynamic: {targeted: {openvswitch: {compute: {pod: [{labels: {application: 'neutron'}}]}}}},
      static: {compute: {}},
    }

    expect(explained({dependencies, ...values})[0]!.requires).toMatchObject([{kind, chart: 'neutron'}])
  })

  it('exclude its tests, and include endpoints that no component waits for', () => {
    const found = explained({dependencies: {static: {tests: {jobs: ['nova-x']}}}})

    expect(found).toEqual([
      {
        name: 'endpoints',
        switches: [],
        isOn: true,
        requires: [
          {kind: 'soft', what: 'endpoint oslo_db = mariadb, which nothing waits for', chart: 'mariadb'},
          {
            kind: 'soft',
            what: 'endpoint identity = keystone-api, which nothing waits for',
            chart: 'keystone',
          },
        ],
      },
    ])
  })
})

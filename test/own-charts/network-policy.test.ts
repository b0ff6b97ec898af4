import {describe, expect, it} from 'vitest'
import {GIVEN, SERVICES, useCharts, valuesOf, withAllObjects} from './support/charts.ts'
import {ofKind} from './support/objects.ts'

const charts = await useCharts()

const NODES = {ipBlock: {cidr: '192.0.2.0/24'}}

const policies = async (chart: string, values: object = {}) => {
  const network_policy = {nodes: [NODES.ipBlock.cidr]}
  const all = {manifests: {network_policy: true}, network_policy, ...values}
  return ofKind(await charts.render(chart, {values: all}), 'NetworkPolicy')
}

describe('network policies', () => {
  it.each(SERVICES)('do not exist unless they are enabled: %s', async (chart) => {
    expect(ofKind(await charts.render(chart), 'NetworkPolicy')).toEqual([])

    const all = await charts.render(chart, {values: withAllObjects(chart)})
    const {components = {}, service_status: status} = valuesOf(chart)
    expect(ofKind(all, 'NetworkPolicy')).toHaveLength(Object.keys(components).length + (status ? 1 : 0))
  })

  it('let members reach each other on all ports, and clients of the namespace and nodes only the service port', async () => {
    const [policy] = await policies('mariadb')

    const selector = {
      'app.kubernetes.io/name': 'mariadb',
      'app.kubernetes.io/instance': 'mariadb',
      'app.kubernetes.io/component': 'server',
    }
    const ports = (...names: string[]) => names.map((port) => ({protocol: 'TCP', port}))
    expect(policy?.spec).toEqual({
      podSelector: {matchLabels: selector},
      policyTypes: ['Ingress'],
      ingress: [
        {from: [{podSelector: {}}, NODES], ports: ports('mysql')},
        {
          from: [{podSelector: {matchLabels: selector}}],
          ports: ports('election', 'ist', 'mysql', 'sst', 'wsrep'),
        },
      ],
    })
  })

  it('are enabled once for all releases, and disabled for one', async () => {
    const global = {...GIVEN, manifests: {network_policy: true}, network_policy: {nodes: []}}
    const names = async (values: object) =>
      ofKind(await charts.render('rabbitmq', {global, values}), 'NetworkPolicy').map(
        ({metadata}) => metadata.name,
      )

    expect(await names({})).toContain('rabbitmq-server')
    expect(await names({manifests: {network_policy: false}})).toEqual([])
  })

  it('require the addresses of nodes, because some clients use the host network', async () => {
    const values = {manifests: {network_policy: true}}

    expect(await charts.refusal('rabbitmq', {values})).toContain('say in global.network_policy.nodes')
    const [policy] = await policies('rabbitmq', {network_policy: {nodes: []}})
    expect(policy?.spec).toMatchObject({ingress: [{from: [{podSelector: {}}]}, {}, {}]})
  })

  it('allow all ports of a component with dynamic ports', async () => {
    const all = await policies('ceph')

    const mgr = all.find(({metadata}) => metadata?.name === 'ceph-mgr')
    expect(mgr?.spec).toMatchObject({ingress: [{from: [{podSelector: {}}, NODES], ports: []}, {}]})
  })

  it.each([
    ['a port on the nodes', {node_port: {enabled: true, port: 30_500}}],
    ['an ingress', {ingress: {enabled: true}}],
  ])('allow all clients for a service with %s', async (_what, api) => {
    const endpoints = {identity: {host_fqdn_override: {public: {host: 'identity.example.org'}}}}

    const [policy] = await policies('keystone', {network: {api}, endpoints})

    expect(policy?.spec).toMatchObject({ingress: [{ports: [{protocol: 'TCP', port: 'api'}]}]})
    expect(JSON.stringify(policy?.spec)).not.toContain('"from"')
  })

  it('have the content of network_policy as in openstack-helm if that is set', async () => {
    const ingress = [{from: [{namespaceSelector: {matchLabels: {team: 'cloud'}}}]}]

    const [policy] = await policies('keystone', {network_policy: {keystone: {ingress}}})

    expect(policy?.spec).toMatchObject({ingress})
  })
})

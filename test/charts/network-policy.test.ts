import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts, valuesOf, withAllObjects} from './support/charts.ts'
import {ofKind} from './support/objects.ts'

const charts = await useCharts()

const policies = async (chart: string, values: object = {}) =>
  ofKind(
    await charts.render(chart, {values: {manifests: {network_policy: true}, ...values}}),
    'NetworkPolicy',
  )

describe('network policies', () => {
  it.each(SERVICES)('are not made unless they are asked for: %s', async (chart) => {
    expect(ofKind(await charts.render(chart), 'NetworkPolicy')).toEqual([])

    const all = await charts.render(chart, {values: withAllObjects(chart)})
    expect(ofKind(all, 'NetworkPolicy')).toHaveLength(Object.keys(valuesOf(chart).components!).length)
  })

  it('let members reach each other on every port, and clients of the namespace the service alone', async () => {
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
        {from: [{podSelector: {}}], ports: ports('mysql')},
        {
          from: [{podSelector: {matchLabels: selector}}],
          ports: ports('election', 'ist', 'mysql', 'sst', 'wsrep'),
        },
      ],
    })
  })

  it.each([
    ['a port on the nodes', {node_port: {enabled: true, port: 30_500}}],
    ['an ingress', {ingress: {enabled: true}}],
  ])('let everybody reach what has %s', async (_what, api) => {
    const endpoints = {identity: {host_fqdn_override: {public: {host: 'identity.example.org'}}}}

    const [policy] = await policies('keystone', {network: {api}, endpoints})

    expect(policy?.spec).toMatchObject({ingress: [{ports: [{protocol: 'TCP', port: 'api'}]}]})
    expect(JSON.stringify(policy?.spec)).not.toContain('"from"')
  })

  it("say what openstack-helm's place for them says instead", async () => {
    const ingress = [{from: [{namespaceSelector: {matchLabels: {team: 'cloud'}}}]}]

    const [policy] = await policies('keystone', {network_policy: {keystone: {ingress}}})

    expect(policy?.spec).toMatchObject({ingress})
  })
})

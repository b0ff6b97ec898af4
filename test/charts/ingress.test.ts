import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts} from './support/charts.ts'
import {ofKind} from './support/objects.ts'

const charts = await useCharts()

const NAMED = {identity: {host_fqdn_override: {public: {host: 'identity.example.org'}}}}

const ingresses = async (values: object) => ofKind(await charts.render('keystone', {values}), 'Ingress')
const network = (ingress: object) => ({network: {api: {ingress}}})

describe('an ingress', () => {
  it.each(SERVICES)('is not made unless it is asked for: %s', async (chart) => {
    expect(ofKind(await charts.render(chart), 'Ingress')).toEqual([])
    expect(await ingresses({...network({class: 'nginx'}), endpoints: NAMED})).toEqual([])
  })

  it('brings clients to the Service under the public name of its endpoint', async () => {
    const asked = {
      enabled: true,
      class: 'nginx',
      tls_secret: 'cloud-tls',
      annotations: {'example.org/size': '10m'},
    }

    const [ingress] = await ingresses({...network(asked), endpoints: NAMED})

    expect(ingress?.metadata).toMatchObject({name: 'keystone-api', annotations: asked.annotations})
    const backend = {service: {name: 'keystone-api', port: {name: 'api'}}}
    expect(ingress?.spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{hosts: ['identity.example.org'], secretName: 'cloud-tls'}],
      rules: [{host: 'identity.example.org', http: {paths: [{path: '/', pathType: 'Prefix', backend}]}}],
    })
  })

  it('needs neither class nor TLS, but a name', async () => {
    const [ingress] = await ingresses({...network({enabled: true}), endpoints: NAMED})

    expect(Object.keys(ingress?.spec ?? {})).toEqual(['rules'])
    await expect(ingresses(network({enabled: true}))).rejects.toThrow(
      'network.api.ingress needs the name that clients outside use: endpoints.identity.host_fqdn_override.public.host',
    )
  })
})

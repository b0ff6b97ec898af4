import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts} from './support/charts.ts'
import {find, ofKind} from './support/objects.ts'

const charts = await useCharts()

const FILES = {'ca.crt': 'authority', 'tls.crt': 'certificate', 'tls.key': 'key'}
const ENCODED = {'ca.crt': 'YXV0aG9yaXR5', 'tls.crt': 'Y2VydGlmaWNhdGU=', 'tls.key': 'a2V5'}
const NAMED = {identity: {host_fqdn_override: {public: {host: 'keystone.example.org'}}}}
const OUTSIDE = {endpoints: NAMED, network: {api: {ingress: {enabled: true}}}}

const keystone = (values: object) => charts.render('keystone', {values})

describe('the certificate of a release', () => {
  it.each(SERVICES)('is not there unless it is asked for: %s', async (chart) => {
    const objects = await charts.render(chart)

    expect(objects.filter(({metadata}) => metadata.name === `${chart}-tls`)).toEqual([])
    expect(JSON.stringify(objects)).not.toContain('/etc/tls')
  })

  it('is a Secret of Kubernetes’ type for it, of the files that are given', async () => {
    const secret = find(await keystone({tls: {public: true, files: FILES}}), 'Secret', 'keystone-tls')

    expect(secret).toMatchObject({type: 'kubernetes.io/tls', data: ENCODED})
  })

  it('is asked of cert-manager, for the names of Services and the public one', async () => {
    const issuer = {name: 'cloud', kind: 'ClusterIssuer'}
    const objects = await keystone({tls: {public: true, issuer}, endpoints: NAMED})

    expect(ofKind(objects, 'Certificate')).toMatchObject([
      {
        apiVersion: 'cert-manager.io/v1',
        spec: {
          secretName: 'keystone-tls',
          issuerRef: issuer,
          dnsNames: ['keystone-api.openstack.svc.cluster.local', 'keystone.example.org'],
        },
      },
    ])
    expect(
      objects.filter(({metadata, kind}) => kind === 'Secret' && metadata.name === 'keystone-tls'),
    ).toEqual([])
  })

  it('is the Secret that the deployer names', async () => {
    const objects = await keystone({tls: {public: true, secret: 'wildcard'}, ...OUTSIDE})

    expect(objects.filter(({metadata}) => metadata.name === 'keystone-tls')).toEqual([])
    expect(ofKind(objects, 'Ingress')[0]?.spec).toMatchObject({tls: [{secretName: 'wildcard'}]})
  })

  it('is needed: where nobody gives one, rendering ends with what may be said', async () => {
    const refusal = await charts.refusal('keystone', {values: {tls: {public: true}}})

    expect(refusal).toContain('tls.files: ca.crt is needed and not set: kk makes it, or give')
  })
})

describe('from outside', () => {
  it('an Ingress has the certificate, and public URLs are https by name', async () => {
    const objects = await keystone({tls: {public: true, files: FILES}, ...OUTSIDE})

    expect(ofKind(objects, 'Ingress')[0]?.spec).toMatchObject({
      tls: [{hosts: ['keystone.example.org'], secretName: 'keystone-tls'}],
    })
    expect(JSON.stringify(objects)).toContain('"https://keystone.example.org/v3"')
    expect(JSON.stringify(objects)).toContain('"http://keystone-api.openstack.svc.cluster.local:5000/v3"')
  })

  it('what the deployer says of a public URL wins', async () => {
    const identity = {...NAMED.identity, scheme: {public: 'http'}, port: {api: {public: 8000}}}
    const objects = await keystone({tls: {public: true, files: FILES}, endpoints: {identity}})

    expect(JSON.stringify(objects)).toContain('"http://keystone.example.org:8000/v3"')
  })
})

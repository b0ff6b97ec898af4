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
  it.each(SERVICES)('does not exist unless it is enabled: %s', async (chart) => {
    const objects = await charts.render(chart)

    expect(objects.filter(({metadata}) => metadata.name === `${chart}-tls`)).toEqual([])
    expect(JSON.stringify(objects)).not.toContain('/etc/tls')
  })

  it('is a Secret of type kubernetes.io/tls with the specified files', async () => {
    const secret = find(await keystone({tls: {public: true, files: FILES}}), 'Secret', 'keystone-tls')

    expect(secret).toMatchObject({type: 'kubernetes.io/tls', data: ENCODED})
  })

  it('is requested from cert-manager, inside also for the names of Services', async () => {
    const issuer = {name: 'cloud', kind: 'ClusterIssuer'}
    const objects = await keystone({tls: {internal: true, issuer}, endpoints: NAMED})

    expect(ofKind(objects, 'Certificate')).toMatchObject([
      {
        apiVersion: 'cert-manager.io/v1',
        spec: {
          secretName: 'keystone-tls',
          issuerRef: issuer,
          dnsNames: [
            'servers.openstack.svc.cluster.local',
            'keystone-api.openstack.svc.cluster.local',
            'keystone.example.org',
          ],
        },
      },
    ])
    expect(
      objects.filter(({metadata, kind}) => kind === 'Secret' && metadata.name === 'keystone-tls'),
    ).toEqual([])
  })

  it('is requested only for public names if TLS is off inside, because Let’s Encrypt signs no others', async () => {
    const certificates = async (endpoints: object) => {
      const objects = await keystone({tls: {public: true, issuer: {name: 'cloud'}}, endpoints})
      return ofKind(objects, 'Certificate').map(({spec}) => (spec as {dnsNames?: unknown}).dnsNames)
    }

    expect(await certificates(NAMED)).toEqual([['keystone.example.org']])
    expect(await certificates({})).toEqual([])
  })

  it('is the Secret that the user names', async () => {
    const objects = await keystone({tls: {public: true, secret: 'wildcard'}, ...OUTSIDE})

    expect(objects.filter(({metadata}) => metadata.name === 'keystone-tls')).toEqual([])
    expect(ofKind(objects, 'Ingress')[0]?.spec).toMatchObject({tls: [{secretName: 'wildcard'}]})
  })

  it('is required: rendering fails with the possible settings if it is missing', async () => {
    const refusal = await charts.refusal('keystone', {values: {tls: {public: true}}})

    expect(refusal).toContain('tls.files: ca.crt is needed and not set: kk makes it, or give')
  })
})

describe('TLS for clients outside', () => {
  it('an Ingress has the certificate, and public URLs have https and a host name', async () => {
    const objects = await keystone({tls: {public: true, files: FILES}, ...OUTSIDE})

    expect(ofKind(objects, 'Ingress')[0]?.spec).toMatchObject({
      tls: [{hosts: ['keystone.example.org'], secretName: 'keystone-tls'}],
    })
    expect(JSON.stringify(objects)).toContain('"https://keystone.example.org/v3"')
    expect(JSON.stringify(objects)).toContain('"http://keystone-api.openstack.svc.cluster.local:5000/v3"')
  })

  it('an endpoint with an address instead of a name keeps its node port without TLS', async () => {
    const identity = {host_fqdn_override: {public: {host: '192.0.2.1'}}, port: {api: {public: 30_500}}}
    const objects = await keystone({tls: {public: true, files: FILES}, endpoints: {identity}})

    expect(JSON.stringify(objects)).toContain('"http://192.0.2.1:30500/v3"')
  })

  it('an explicit public URL has precedence', async () => {
    const identity = {...NAMED.identity, scheme: {public: 'http'}, port: {api: {public: 8000}}}
    const objects = await keystone({tls: {public: true, files: FILES}, endpoints: {identity}})

    expect(JSON.stringify(objects)).toContain('"http://keystone.example.org:8000/v3"')
  })
})

describe('TLS inside', () => {
  const INSIDE = {tls: {internal: true, files: FILES}}
  const inside = (chart: string, values: object = {}) =>
    charts.render(chart, {values: {...INSIDE, ...values}})
  const text = async (chart: string, values?: object) => JSON.stringify(await inside(chart, values))

  it.each([
    ['keystone', 'keystone-api-uwsgi.ini'],
    ['horizon', 'horizon-server-uwsgi.ini'],
    ['glance', 'glance-api-uwsgi.ini'],
    ['designate', 'designate-api-uwsgi.ini'],
  ])('the API of %s serves only TLS', async (chart, file) => {
    const objects = await inside(chart, {tls: {...INSIDE.tls, plain: ['designate-mdns', 'dns_server']}})
    const ini = find(objects, 'ConfigMap', `${chart}-etc`).data![file]!

    expect(ini).toMatch(/^https = 0\.0\.0\.0:\d+,\/etc\/tls\/tls\.crt,\/etc\/tls\/tls\.key$/m)
    expect(ini).not.toMatch(/^http = /m)
  })

  it('agents of murano connect to the bus over TLS', async () => {
    const objects = await inside('murano', {tls: {...INSIDE.tls, plain: ['application_catalog']}})

    expect(find(objects, 'ConfigMap', 'murano-etc').data!['murano.conf']).toMatch(
      /^ca_certs = \/etc\/tls\/ca\.crt\n(?:.+\n)*ssl = true$/m,
    )
  })

  it('an address that a plugin sets for an API is also served over TLS', async () => {
    const conf = {keystone_api_uwsgi: {uwsgi: {http: '[::]:5000'}}}

    const objects = await inside('keystone', {conf})

    const ini = find(objects, 'ConfigMap', 'keystone-etc').data!['keystone-api-uwsgi.ini']!
    expect(ini).toContain('https = [::]:5000,/etc/tls/tls.crt')
    expect(ini).not.toMatch(/^http = /m)
  })

  it('probes and ingress annotations use HTTPS, and clients trust the authority', async () => {
    const objects = await inside('placement')
    const deployment = JSON.stringify(find(objects, 'Deployment', 'placement-api'))

    expect(deployment).toContain('"scheme":"HTTPS"')
    expect(deployment).toContain('{"name":"REQUESTS_CA_BUNDLE","value":"/etc/tls/ca.crt"}')
    expect(find(objects, 'Service', 'placement-api').metadata.annotations).toEqual({
      'traefik.ingress.kubernetes.io/service.serversscheme': 'https',
      'traefik.ingress.kubernetes.io/service.serverstransport': 'internal@file',
    })
    expect(JSON.stringify(objects)).not.toMatch(/http:\/\/[a-z-]+\.openstack\.svc/)
  })

  it('a job gets the certificate of the authority, and no key', async () => {
    const jobs = ofKind(await inside('placement'), 'Job').map((job) => JSON.stringify(job))

    expect(jobs.length).toBeGreaterThan(0)
    for (const job of jobs) {
      expect(job).toContain('"items":[{"key":"ca.crt","path":"ca.crt"}],"secretName":"placement-tls"')
    }
  })

  it('a new certificate replaces only pods of APIs; databases and the message bus reload it, and no job runs again', async () => {
    const hashes = async (chart: string, certificate: string) => {
      const objects = await charts.render(chart, {
        values: {tls: {...INSIDE.tls, files: {...FILES, 'tls.crt': certificate}}},
      })
      return objects
        .filter(({kind}) => ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind))
        .map((each) => JSON.stringify(each))
    }

    for (const chart of ['mariadb', 'rabbitmq', 'ovn', 'libvirt']) {
      expect(await hashes(chart, 'other')).toEqual(await hashes(chart, 'one'))
    }
    const [before, after] = [await hashes('keystone', 'one'), await hashes('keystone', 'other')]
    expect(after.filter((each) => !before.includes(each))).toEqual([
      expect.stringContaining('"kind":"Deployment"'),
    ])
  })

  it('databases and the message bus reject clear-text connections, and their clients use TLS', async () => {
    const [mariadb, rabbitmq, keystone] = [
      await text('mariadb'),
      await text('rabbitmq'),
      await inside('keystone'),
    ]
    const connection = find(keystone, 'Secret', 'keystone-env').data!['keystone.OS_DATABASE__CONNECTION']!

    expect(mariadb).toContain('--require-secure-transport')
    expect(rabbitmq).toContain('listeners.tcp = none')
    expect(rabbitmq).toContain('listeners.ssl.1 = 0.0.0.0:5672')
    expect(rabbitmq).not.toContain('management.tcp')
    expect(Buffer.from(connection, 'base64').toString()).toMatch(/\/keystone\?ssl_ca=\/etc\/tls\/ca\.crt$/)
    expect(JSON.stringify(keystone)).toContain('ssl_ca_file = /etc/tls/ca.crt')
    expect(await text('nova')).toContain('{path}_cell0?{query}')
  })

  it('OVN’s databases, their clients and the consoles of guests use mutual TLS', async () => {
    const [ovn, neutron, nova, libvirt] = [
      await text('ovn'),
      await text('neutron'),
      await text('nova'),
      await text('libvirt'),
    ]

    expect(ovn).toContain('pssl:$PORT')
    expect(ovn).not.toMatch(/\btcp:|ptcp:/)
    expect(neutron).toContain('ovn_nb_connection = ssl:ovn-nb.openstack.svc.cluster.local:6641')
    expect(neutron).toContain('ovn_sb_private_key = /etc/tls/tls.key')
    expect(neutron).toContain('nova_metadata_protocol = https')
    expect(nova).toContain('auth_schemes = vencrypt')
    expect(nova).toContain('ssl_only = true')
    expect(libvirt).toContain('vnc_tls_x509_verify = 1')
  })

  it.each([
    ['memcached', 'server of memcached does not support TLS and serves oslo_cache unencrypted', 'oslo_cache'],
    [
      'ironic',
      'conductor of ironic does not support TLS and serves ironic-conductor unencrypted',
      'ironic-conductor',
    ],
  ])(
    'a clear-text endpoint of %s is refused unless it is listed in tls.plain',
    async (chart, message, plain) => {
      expect(await charts.refusal(chart, {values: INSIDE})).toContain(`tls.internal: ${message}`)
      expect(await inside(chart, {tls: {...INSIDE.tls, plain: [plain]}})).not.toEqual([])
    },
  )

  it('the ingress controller verifies servers by their shared name, and its probes stay unchanged', async () => {
    const objects = await inside('ingress')
    const dynamic = find(objects, 'ConfigMap', 'ingress-etc').data!['dynamic.yaml']!

    expect(dynamic).toContain('serverName: servers.openstack.svc.cluster.local')
    expect(JSON.stringify(find(objects, 'DaemonSet', 'ingress-controller'))).not.toContain('"scheme":"HTTPS"')
  })

  it('an endpoint that supports TLS is refused in tls.plain', async () => {
    const refusal = await charts.refusal('keystone', {values: {tls: {...INSIDE.tls, plain: ['identity']}}})

    expect(refusal).toContain('tls.plain: identity is served by TLS: remove it from the list')
  })

  it('clients use clear text for an endpoint in tls.plain', async () => {
    const plain = ['faultmanagement']

    expect(await text('fm-rest-api', {tls: {...INSIDE.tls, plain}})).toContain(
      'http://fm-rest-api-api.openstack.svc',
    )
  })

  it('APIs reload a certificate of another owner when it changes', async () => {
    const objects = await charts.render('keystone', {values: {tls: {internal: true, secret: 'wildcard'}}})

    expect(find(objects, 'ConfigMap', 'keystone-etc').data!['keystone-api-uwsgi.ini']).toContain(
      'touch-reload = /etc/tls/tls.crt',
    )
  })
})

import {load} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {builtInPlugins} from '../../src/overrides/system/plugins.ts'
import {GIVEN, SERVICES, useCharts, valuesOf} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, pods, secret, variable} from './support/objects.ts'

const charts = await useCharts()

const NAMED = {identity: {host_fqdn_override: {public: {host: 'identity.example.org'}}}}

const ingresses = async (values: object) => ofKind(await charts.render('keystone', {values}), 'Ingress')
const network = (ingress: object) => ({network: {api: {ingress}}})

describe('an ingress', () => {
  it.each(SERVICES)('does not exist unless it is enabled: %s', async (chart) => {
    expect(ofKind(await charts.render(chart), 'Ingress')).toEqual([])
    expect(await ingresses({...network({class: 'nginx'}), endpoints: NAMED})).toEqual([])
  })

  it('routes clients to the Service under the public name of its endpoint', async () => {
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

  it('needs neither class nor TLS, but a host name', async () => {
    const [ingress] = await ingresses({...network({enabled: true}), endpoints: NAMED})

    expect(Object.keys(ingress?.spec ?? {})).toEqual(['rules'])
    await expect(ingresses(network({enabled: true}))).rejects.toThrow(
      'network.api.ingress needs the name that clients outside use: ingress.domain, or endpoints.identity.host_fqdn_override.public.host',
    )
  })
})

/** All that is public, behind an ingress controller. */
const switchedOn = (more: Values = {}, endpoints: Values = {}) => ({
  global: mergeValues(GIVEN, {ingress: {enabled: true, domain: 'example.org', ...more}, endpoints}),
})
const hostsOf = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'Ingress').flatMap(({spec}) => {
    const {rules} = spec as unknown as {readonly rules: readonly {readonly host: string}[]}
    return rules.map(({host}) => host)
  })

describe('the ingress of public endpoints', () => {
  it.each(SERVICES)('has each public endpoint of %s, and no other', async (chart) => {
    const names = Object.values(valuesOf(chart).serves ?? {}).flatMap(({public: name}) => name ?? [])

    const hosts = hostsOf(await charts.render(chart, switchedOn()))

    expect(hosts.sort()).toEqual(names.map((name) => `${name}.example.org`).sort())
  })

  it('has one class and one certificate, and keystone registers its public URLs', async () => {
    const objects = await charts.render('keystone', switchedOn())

    expect(find(objects, 'Ingress', 'keystone-api').spec).toMatchObject({
      ingressClassName: 'openstack',
      tls: [{hosts: ['keystone.example.org'], secretName: 'ingress-tls'}],
    })
    const [bootstrap] = pods(ofKind(objects, 'Job').filter(({metadata}) => /bootstrap/.test(metadata.name)))
    expect(variable(bootstrap!.spec.containers[0]!, 'OS_BOOTSTRAP_PUBLIC_URL')).toBe(
      'https://keystone.example.org/v3',
    )
    expect(variable(bootstrap!.spec.containers[0]!, 'OS_BOOTSTRAP_INTERNAL_URL')).toContain(':5000/v3')
  })

  it('has the class, Secret and annotations of the user', async () => {
    const own = {class: 'nginx', tls_secret: 'mine', annotations: {'example.org/size': '10m'}}

    const [ingress] = ofKind(await charts.render('keystone', switchedOn(own)), 'Ingress')

    expect(ingress).toMatchObject({
      metadata: {annotations: own.annotations},
      spec: {ingressClassName: 'nginx', tls: [{secretName: 'mine'}]},
    })
  })

  it('has the certificate of each release if that is asked for, also of a section with several', async () => {
    const issuer = {name: 'cloud', kind: 'ClusterIssuer'}
    const values = {
      ...switchedOn({class: 'nginx', certificate: 'release'}),
      values: {tls: {public: true, issuer}},
    }

    const objects = await charts.render('nova', values)

    const names = ['nova.example.org', 'novncproxy.example.org']
    const secrets = ofKind(objects, 'Ingress').map(({spec}) => (spec as unknown as Tls).tls)
    expect(secrets.sort((a, b) => (a[0]!.hosts[0]! < b[0]!.hosts[0]! ? -1 : 1))).toEqual(
      names.map((host) => [{hosts: [host], secretName: 'nova-tls'}]),
    )
    expect(ofKind(objects, 'Certificate')).toMatchObject([
      {spec: {secretName: 'nova-tls', issuerRef: issuer}},
    ])
    const [certificate] = ofKind(objects, 'Certificate') as unknown as readonly [{spec: {dnsNames: string[]}}]
    expect(certificate.spec.dnsNames.sort()).toEqual(names)
  })

  it('has a Secret of its own if its annotation asks cert-manager for one, unless another is stated', async () => {
    const annotations = {'cert-manager.io/cluster-issuer': 'letsencrypt'}
    const secretOf = async (more: Values) => {
      const [ingress] = ofKind(await charts.render('keystone', switchedOn({annotations, ...more})), 'Ingress')
      return (ingress!.spec as unknown as Tls).tls[0]!.secretName
    }

    expect(await secretOf({})).toBe('keystone-api-public-tls')
    expect(await secretOf({tls_secret: 'mine'})).toBe('mine')
  })

  it('is an HTTPRoute if a Gateway is named, which has the certificate', async () => {
    const objects = await charts.render('keystone', switchedOn({gateway: 'infra/cloud'}))
    const [here] = ofKind(await charts.render('keystone', switchedOn({gateway: 'cloud'})), 'HTTPRoute')

    expect(ofKind(objects, 'Ingress')).toEqual([])
    expect(ofKind(objects, 'HTTPRoute')).toMatchObject([
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        metadata: {name: 'keystone-api', namespace: 'openstack'},
        spec: {
          parentRefs: [{name: 'cloud', namespace: 'infra'}],
          hostnames: ['keystone.example.org'],
          rules: [{backendRefs: [{name: 'keystone-api', port: 5000}]}],
        },
      },
    ])
    expect(here).toMatchObject({spec: {parentRefs: [{name: 'cloud'}]}})
  })

  it('omits a component that disables it, and an endpoint with a public address instead of a name', async () => {
    const closed = {...switchedOn(), values: {network: {api: {ingress: {enabled: false}}}}}
    const console = {host_fqdn_override: {public: {host: '192.0.2.1'}}, port: {novnc_proxy: {public: 30608}}}

    expect(hostsOf(await charts.render('keystone', closed))).toEqual([])
    const hosts = hostsOf(await charts.render('nova', switchedOn({}, {compute_novnc_proxy: console})))
    expect(hosts).toEqual(['nova.example.org'])
  })

  it('has the name of the endpoint, and facts about the cloud give the same names', async () => {
    const named = switchedOn({}, NAMED)
    const serves = Object.values(SERVICES).flatMap((chart) => Object.entries(valuesOf(chart).serves ?? {}))
    const facts = {publicDomain: 'example.org', tls: true}

    expect(hostsOf(await charts.render('keystone', named))).toEqual(['identity.example.org'])
    for (const chart of SERVICES) {
      const made = await (await builtInPlugins().find(chart))?.overrides(facts, 'openstack')
      const {global} = (made ?? {}) as {readonly global?: {readonly endpoints?: Named}}
      for (const [type, {host_fqdn_override: host}] of Object.entries(global?.endpoints ?? {})) {
        const stated = serves.find(([each]) => each === type)?.[1]
        if (host && stated) expect(host.public.host).toBe(`${String(stated['public'])}.example.org`)
      }
    }
  })
})

interface Tls {
  readonly tls: readonly {readonly hosts: readonly string[]; readonly secretName: string}[]
}
type Named = Readonly<
  Record<string, {readonly host_fqdn_override?: {readonly public: {readonly host: string}}}>
>

describe('the ingress controller', async () => {
  const objects = await charts.render('ingress', switchedOn({class: 'mine', tls_secret: 'cloud'}))

  it('may read one Secret, and write nothing', () => {
    const rules = ofKind(objects, 'Role', 'ClusterRole').flatMap(
      ({rules}) => rules as readonly {resources: string[]; resourceNames: string[]; verbs: string[]}[],
    )
    const names = (resource: string) =>
      rules.find(({resources}) => resources.includes(resource))?.resourceNames

    expect(names('secrets')).toEqual(['cloud'])
    expect(new Set(rules.flatMap(({verbs}) => verbs))).toEqual(new Set(['list', 'watch']))
    const [controller] = find(objects, 'DaemonSet', 'ingress-controller').spec!.template!.spec.containers
    expect(variable(controller!, 'CERTIFICATE')).toBe('cloud')
    expect(variable(controller!, 'SECRETS_FIELD_SELECTOR')).toBe('metadata.name=$(CERTIFICATE)')
  })

  it('serves the class of the Ingresses, on the addresses of its nodes', () => {
    const {spec} = find(objects, 'DaemonSet', 'ingress-controller')
    expect(spec?.template?.spec.containers[0]?.readinessProbe).toMatchObject({
      httpGet: {path: '/ping', port: 'http'},
    })
    expect(JSON.stringify(spec)).not.toContain('HTTPS')
    const configuration = load(find(objects, 'ConfigMap', 'ingress-etc').data!['traefik.yaml']!) as {
      readonly providers: {readonly kubernetesIngress: object}
    }

    expect(find(objects, 'IngressClass', 'mine')).toMatchObject({
      metadata: {name: 'mine'},
      spec: {controller: 'traefik.io/ingress-controller'},
    })
    expect(find(objects, 'IngressClass', 'mine').metadata).not.toHaveProperty('namespace')
    expect(spec?.template?.spec.hostNetwork).toBe(true)
    expect(configuration.providers.kubernetesIngress).toMatchObject({
      namespaces: ['openstack'],
      ingressClass: 'mine',
    })
  })

  it('forwards the scheme https to services, also for WebSockets: nova compares it with the URLs of its consoles', () => {
    const {data} = find(objects, 'ConfigMap', 'ingress-etc')

    expect(load(data!['traefik.yaml']!)).toMatchObject({
      entryPoints: {https: {http: {middlewares: ['forwarded@file']}}},
    })
    expect(load(data!['dynamic.yaml']!)).toMatchObject({
      http: {
        middlewares: {forwarded: {headers: {customRequestHeaders: {'X-Forwarded-Proto': 'https'}}}},
      },
    })
  })

  it('connects to services over TLS if they serve TLS inside, and trusts one authority', async () => {
    const tls = {internal: true, files: {'ca.crt': 'a', 'tls.crt': 'b', 'tls.key': 'c'}}
    const {global} = switchedOn()
    const inside = {global: {...global, tls}}

    const keystone = find(await charts.render('keystone', inside), 'Service', 'keystone-api')
    const {data} = find(await charts.render('ingress', inside), 'ConfigMap', 'ingress-etc')

    expect(keystone.metadata.annotations).toEqual({
      'traefik.ingress.kubernetes.io/service.serversscheme': 'https',
      'traefik.ingress.kubernetes.io/service.serverstransport': 'internal@file',
    })
    expect(load(data!['dynamic.yaml']!)).toMatchObject({
      http: {
        serversTransports: {
          internal: {
            serverName: 'servers.openstack.svc.cluster.local',
            rootCAs: ['/etc/tls/ca.crt'],
          },
        },
      },
    })
    const plain = find(await charts.render('keystone', switchedOn()), 'Service', 'keystone-api')
    expect(plain.metadata).not.toHaveProperty('annotations')
  })

  it('is tested under each public name', () => {
    const script = find(objects, 'ConfigMap', 'ingress-bin').data!['ingress-test.py']

    expect(script).toContain('"keystone.example.org"')
    expect(script).not.toContain('mariadb')
  })
})

it('the dashboard behind TLS accepts forms that come by its public name', async () => {
  const settings = async (options: object) =>
    secret(await charts.render('horizon', options), 'horizon-files', '_9998-kolla-settings.py')

  expect(await settings(switchedOn())).toContain('CSRF_TRUSTED_ORIGINS = ["https://horizon.example.org", ]')
  expect(await settings({})).not.toContain('CSRF_TRUSTED_ORIGINS')
})

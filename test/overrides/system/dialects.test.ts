import {readFileSync} from 'node:fs'
import {cp, mkdir, readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {readOwnCharts} from '../../../scripts/charts/read-charts.ts'
import {readDialectChart, valuesAt} from '../../../src/charts/dialect.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import type {Facts} from '../../../src/overrides/facts/facts.ts'
import {accountSecrets} from '../../../src/overrides/system/accounts.ts'
import {assumedChart} from '../../../src/overrides/system/assumed.ts'
import {definePlugin, secretPaths} from '../../../src/overrides/system/plugin.ts'
import {builtInPlugins, withPlugins} from '../../../src/overrides/system/plugins.ts'
import {unreadPaths} from '../../../src/overrides/system/reads.ts'
import {serviceWithoutPlugin} from '../../../src/overrides/system/shared/service.ts'
import {factsFor} from '../../../src/overrides/system/system-overrides.ts'
import {plugins} from '../../../src/overrides/system/table.ts'
import {testDirectory} from '../../support/test-directory.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SERVICES = readOwnCharts().flatMap(({name, values}) => (values.components ? [name] : []))
const chartIn = (directory: string) => readChart(join(ROOT, directory))
const ZONES = {anti: {topologyKey: {default: 'topology.kubernetes.io/zone'}}}
const FACTS: Facts = {
  controllers: 3,
  zones: ['a', 'b'],
  region: 'north',
  publicDomain: 'cloud.example.org',
  tls: true,
  dnsDomain: 'k8s.local',
  cpus: 32,
  storage: 'class',
  defaultStorageClass: 'fast',
  ipFamily: 'ipv6',
}

async function madeFor(directory: string) {
  const plugin = await builtInPlugins().find(chartIn(directory))
  const overrides = await plugin?.overrides(factsFor(plugin, FACTS), 'openstack')
  return {overrides, secrets: plugin?.secrets.map(({path}) => path.join('.'))}
}

it.each([
  ['charts/keystone', 'kk'],
  ['charts/horizon', 'kk'],
  ['test/fixtures/dialects/trove', 'kk'],
  ['test/fixtures/openstack-helm/mariadb', 'openstack-helm'],
  ['test/fixtures/dialects/keystone', 'openstack-helm'],
  ['test/fixtures/dialects/mariadb', undefined],
  ['test/fixtures/charts/workload', undefined],
])('%s has the dialect %s, by its files', (directory, dialect) => {
  expect(readDialectChart(chartIn(directory)).dialect).toBe(dialect)
})

describe("kk's library is identified by its content, not by its name", () => {
  /** A chart with an annotation of kk's, and with this template in its library `common`. */
  async function annotatedWith(template: string, packed = false) {
    const directory = testDirectory()
    await cp(join(ROOT, 'test/fixtures/dialects/mariadb'), directory, {recursive: true})
    const manifest = await readFile(join(directory, 'Chart.yaml'), 'utf8')
    await writeFile(
      join(directory, 'Chart.yaml'),
      `${manifest}annotations: {kk.openstack.org/requires: "rabbitmq"}\n`,
    )
    await mkdir(join(directory, 'charts/common/templates'))
    await writeFile(join(directory, 'charts/common/templates/_all.tpl'), template)
    if (!packed) return readChart(directory)
    await execa('tar', ['--create', '--gzip', '--file', 'common-2.0.0.tgz', 'common'], {
      cwd: join(directory, 'charts'),
    })
    await rm(join(directory, 'charts/common'), {recursive: true})
    return readChart(directory)
  }

  it.each([
    ['of others', '{{ define "common.names.fullname" }}a{{ end }}', false, undefined],
    ['of others, packed', '{{ define "common.names.fullname" }}a{{ end }}', true, undefined],
    ["of kk's", '{{- define "common.chart" -}}a{{ end }}', false, 'kk'],
    ["of kk's, packed", '{{- define "common.chart" -}}a{{ end }}', true, 'kk'],
  ])('of an annotated chart whose library is %s', async (_, template, packed, dialect) => {
    expect(readDialectChart(await annotatedWith(template, packed)).dialect).toBe(dialect)
  })
})

it.each(SERVICES)(
  "the credentials that kk's own chart %s looks up are those that clusters keep for it",
  (chart) => {
    const names = (secrets: readonly {readonly name: string}[]) => secrets.map(({name}) => name).sort()

    expect(names(accountSecrets(readDialectChart(chartIn(`charts/${chart}`))))).toEqual(
      names(accountSecrets(assumedChart(chart, 'kk'))),
    )
  },
)

it.each([
  [
    'a block among others',
    'pod: {}\nendpoints:\n  # Of all.\n  identity: {name: a}\n\n  image: {name: b}\nconf: {}\n',
  ],
  [
    'blocks below a head',
    '# Defaults.\n---\nimages: {}\nendpoints:\n  identity: {name: a}\n  image:\n    name: b\n',
  ],
  ['blocks with a text', 'endpoints: {identity: {name: a}, image: {name: b}}\ntext: |\n  endpoints: none\n'],
  ['a quoted key', '"endpoints":\n  identity: {name: a}\n  image: {name: b}\n'],
  ['a map in braces', '{conf: {},\nendpoints: {identity: {name: a}, image: {name: b}},\npod: {}}\n'],
  ['a map on one line', 'endpoints: {identity: {name: a}, image: {name: b}}\n'],
  ['an alias', 'shared: &shared {name: a}\nendpoints:\n  identity: *shared\n  image: {name: b}\n'],
])('the endpoints of a chart are those of its values, written as %s', async (_, text) => {
  const directory = testDirectory()
  await cp(join(ROOT, 'test/fixtures/dialects/keystone'), directory, {recursive: true})
  await writeFile(join(directory, 'values.yaml'), text)

  const {endpoints, at, values} = readDialectChart(readChart(directory))

  expect(endpoints).toEqual({identity: {name: 'a'}, image: {name: 'b'}})
  for (const key of [...Object.keys(values), 'absent']) expect(at(key)).toEqual(values[key])
})

describe('the same name in the other dialect', () => {
  it("gives a new chart of kk's own no values of openstack-helm's, only those of every service of kk's", async () => {
    const {overrides, secrets} = await madeFor('test/fixtures/dialects/trove')

    expect(overrides).toEqual({
      pod: {
        replicas: {api: 3},
        affinity: {anti: {topologyKey: {default: 'topology.kubernetes.io/zone'}}},
      },
      global: {
        region: 'north',
        endpoints: {
          cluster_domain_suffix: 'k8s.local',
          identity: publicly('keystone'),
          database: publicly('trove'),
        },
      },
    })
    expect(secrets!.toSorted()).toEqual([
      'global.endpoints.identity.auth.admin.password',
      'global.endpoints.identity.auth.trove.password',
      'global.endpoints.oslo_cache.auth.memcache_secret_key',
      'global.endpoints.oslo_db.auth.admin.password',
      'global.endpoints.oslo_db.auth.trove.password',
      'global.endpoints.oslo_messaging.auth.admin.password',
      'global.endpoints.oslo_messaging.auth.trove.password',
    ])
  })

  it("gives openstack-helm's database no values of kk's", async () => {
    const {overrides, secrets} = await madeFor('test/fixtures/openstack-helm/mariadb')

    expect(overrides).toEqual({
      pod: {
        replicas: {server: 3},
        affinity: {anti: {topologyKey: {default: 'topology.kubernetes.io/zone'}}},
      },
      volume: {class_name: 'fast'},
      endpoints: {cluster_domain_suffix: 'k8s.local'},
    })
    expect(secrets).toEqual([
      'endpoints.oslo_db.auth.admin.password',
      'endpoints.oslo_db.auth.sst.password',
      'endpoints.oslo_db.auth.exporter.password',
    ])
  })

  it('gives a chart of neither dialect no values, unless it has an external plugin', async () => {
    const outside = definePlugin({chart: 'mariadb', reads: [], overrides: () => ({auth: {size: 1}})})
    const chart = chartIn('test/fixtures/dialects/mariadb')

    expect(await builtInPlugins().find(chart)).toBeUndefined()
    expect(await withPlugins(builtInPlugins(), [outside]).find(chart)).toBe(outside)
  })
})

it('accounts are named by their users, as in all charts that share them', () => {
  const names = (name: string) =>
    accountSecrets(readDialectChart(chartIn(`test/fixtures/openstack-helm/${name}`))).map(
      (need) => `${need.path.join('.')} = ${need.name}`,
    )

  expect(names('rabbitmq')).toEqual([
    'endpoints.oslo_messaging.auth.erlang_cookie = oslo_messaging.erlang_cookie',
    'endpoints.oslo_messaging.auth.user.password = oslo_messaging.admin.password',
    'endpoints.oslo_messaging.auth.guest.password = oslo_messaging.guest.password',
  ])
  expect(names('keystone')).toContain(
    'endpoints.identity.auth.test.password = identity.keystone-test.password',
  )
  expect(names('nova')).toEqual(
    expect.arrayContaining([
      'endpoints.oslo_db_cell0.auth.nova.password = oslo_db.nova.password',
      'endpoints.oslo_db_api.auth.admin.password = oslo_db.admin.password',
      'endpoints.identity.auth.placement.password = identity.placement.password',
      'endpoints.oslo_cache.auth.memcache_secret_key = oslo_cache.memcache_secret_key',
    ]),
  )
})

it('an external plugin replaces overrides, and the accounts that the chart shares stay', async () => {
  const pin = {name: 'pin', kind: 'password', path: ['conf', 'pin']} as const
  const outside = definePlugin({chart: 'rabbitmq', reads: [], secrets: [pin], overrides: () => ({})})
  const plugins = withPlugins(builtInPlugins(), [outside])

  const found = await plugins.find(chartIn('test/fixtures/openstack-helm/rabbitmq'))

  expect(secretPaths(found!).map((path) => path.join('.'))).toEqual([
    'endpoints.oslo_messaging.auth.erlang_cookie',
    'endpoints.oslo_messaging.auth.user.password',
    'endpoints.oslo_messaging.auth.guest.password',
    'conf.pin',
  ])
})

it.each([
  [
    'kube-system',
    {
      deployment: {mode: 'cluster', type: 'DaemonSet'},
      network: {host_namespace: true},
      pod: {replicas: {error_page: 3}, affinity: ZONES},
    },
  ],
  [
    'openstack',
    {
      deployment: {mode: 'namespace', type: 'Deployment'},
      pod: {replicas: {ingress: 3, error_page: 3}, affinity: ZONES},
      endpoints: {ingress: {host_fqdn_override: {public: {host: 'openstack.cloud.example.org'}}}},
    },
  ],
])("openstack-helm's ingress in %s gets the mode, which kk's own does not have", async (namespace, made) => {
  const {plugin} = await plugins['ingress']!()
  const conf = {
    ingress: {'bind-address-ipv6': '[::]', 'disable-ipv6': 'false', 'ssl-redirect': 'true'},
  }

  expect(await plugin.overrides(factsFor(plugin, FACTS), namespace)).toEqual({...made, conf})
  expect(plugin.kk?.(factsFor(plugin, FACTS), namespace)).toEqual({
    global: {ingress: {domain: 'cloud.example.org'}, endpoints: {cluster_domain_suffix: 'k8s.local'}},
  })
})

it('rbd-provisioner of another library gets its classes, as StarlingX has them', async () => {
  const {plugin} = await plugins['rbd-provisioner']!()
  const ceph = {monitors: ['10.0.0.1:6789', '10.0.0.2:6789'], user: 'cloud', replication: 3}
  const made = (facts: Facts) => plugin.overrides(factsFor(plugin, facts), 'kube-system')

  expect(await made({controllers: 1, storage: 'ephemeral'})).toEqual({global: {replicas: 1}, classes: []})
  expect(await made({controllers: 3, storage: 'ceph', ceph})).toEqual({
    global: {replicas: 2},
    classes: [{name: 'general', pool_name: 'kube-rbd', userId: 'cloud', replication: 3}],
    classdefaults: {monitors: ceph.monitors},
  })
})

it.each([
  ['of its only endpoint the name of the chart', ['example_v1'], {example_v1: 'service'}, {}],
  ['of one the name that it states', ['example_v1'], {example_v1: 'example'}, {public: 'example'}],
  ['of several their own', ['example_v1', 'other'], {example_v1: 'example-v1', other: 'other'}, {}],
])('a chart declares its own public endpoints: %s', (_, endpoints, hosts, stated) => {
  const http = {scheme: {default: 'http'}, port: {api: {default: 9999}}, ...stated}
  const components = endpoints.map((endpoint) => [endpoint, {endpoint}] as const)
  const serves = {
    ...Object.fromEntries(endpoints.map((endpoint) => [endpoint, http])),
    bus: {scheme: {default: 'tcp'}},
  }
  const values = {components: {...Object.fromEntries(components), bus: {endpoint: 'bus'}}, serves}

  const {global} = serviceWithoutPlugin(FACTS, {
    name: 'service',
    dialect: 'kk',
    values,
    ...valuesAt(values),
    templates: '',
  })

  expect(global).toMatchObject({
    endpoints: Object.fromEntries(
      Object.entries(hosts).map(([endpoint, host]) => [endpoint, publicly(host)]),
    ),
  })
  expect((global as {endpoints: object}).endpoints).not.toHaveProperty('bus')
})

describe('values that a chart does not read', () => {
  const unread = (directory: string, values: object) =>
    unreadPaths(readDialectChart(chartIn(directory)), {...values}).map((path) => path.join('.'))

  it("are those that neither the chart's values nor its templates have, alone or in a whole map", () => {
    const values = {
      pod: {replicas: {api: 3, metadata: 1}},
      conf: {nova: {DEFAULT: {workers: 4}}, nova_api_uwsgi: {uwsgi: {processes: 2}}},
      endpoints: {
        identity: {auth: {nova: {password: 'x'}, heat: {password: 'x'}}, scheme: {public: 'https'}},
        cluster_domain_suffix: 'k8s.local',
      },
      global: {region: 'north'},
    }

    expect(unread('test/fixtures/openstack-helm/nova', values)).toEqual([
      'pod.replicas.metadata',
      'conf.nova_api_uwsgi.uwsgi.processes',
      'endpoints.identity.auth.heat.password',
      'global.region',
    ])
  })

  it("are those that the library does not read, for kk's own charts", () => {
    const values = {
      pod: {replicas: {api: 3, server: 1}, resources: {enabled: true}},
      conf: {keystone: {DEFAULT: {debug: true}}, keystone_api_uwsgi: {uwsgi: {processes: 2}}, nova: {a: 1}},
      endpoints: {identity: {auth: {admin: {region_name: 'north'}}}},
      global: {region: 'north', storage: {class: 'fast'}, replicas: 2},
    }

    expect(unread('charts/keystone', values)).toEqual([
      'pod.replicas.server',
      'conf.nova.a',
      'global.storage.class',
      'global.replicas',
    ])
  })

  it("include none of the keys that the library of kk's charts shares", () => {
    const library = readFileSync(join(ROOT, 'charts/common/templates/context/_values.tpl'), 'utf8')
    const [, shared = ''] = /pick \$layer ((?:"\w+" ?)+)/.exec(library)!
    // These have keys of their own.
    const keys = shared.match(/\w+/g)!.filter((key) => !['storage', 'node_groups'].includes(key))

    const global = Object.fromEntries(keys.map((key) => [key, {files: {'tls.key': 'x'}}]))

    expect(keys).toContain('tls')
    expect(unread('charts/rabbitmq', {global})).toEqual([])
  })

  it.each(SERVICES)("include none that plugins generate for kk's own chart %s", async (chart) => {
    const {overrides} = await madeFor(`charts/${chart}`)

    expect(unread(`charts/${chart}`, overrides!)).toEqual([])
  })
})

function publicly(name: string) {
  return {
    host_fqdn_override: {public: {host: `${name}.cloud.example.org`}},
    scheme: {public: 'https'},
    port: {api: {public: 443}},
  }
}

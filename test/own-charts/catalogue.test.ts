import {readFileSync} from 'node:fs'
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {writeFiles} from '../charts/support/write-files.ts'
import {CHARTS, useCharts} from './support/charts.ts'
import {find, type KubernetesObject, pods, secret, variable} from './support/objects.ts'

const charts = await useCharts()

/** The text of a file in the ConfigMap of a chart. */
async function file(chart: string, name: string, values: object = {}): Promise<string> {
  return find(await charts.render(chart, {values}), 'ConfigMap', `${chart}-etc`).data![name]!
}

/** What a script of a chart says, where programs are these functions of bash, and files are elsewhere. */
async function said(
  chart: string,
  name: string,
  programs: string,
  args: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const {data = {}} = find(await charts.render(chart), 'ConfigMap', `${chart}-bin`)
  const script = Object.entries(files).reduce(
    (text, [file, other]) => text.replaceAll(file, other),
    data[name]!.replaceAll('exec ', ''),
  )
  const {stdout} = await execa('bash', ['-c', `${programs}\n${script}`, name, ...args])
  return stdout
}

describe('the key of barbican', () => {
  it('is a file in a Secret, and in no ConfigMap', async () => {
    const objects = await charts.render('barbican')

    expect(secret(objects, 'barbican-files', 'crypto.conf')).toBe(
      '[simple_crypto_plugin]\nkek = marked-key-manager-simple-crypto-kek\n',
    )
    expect(await file('barbican', 'barbican.conf')).not.toContain('kek')
  })

  it.each(['cinder', 'nova'])(
    'encrypts secrets for %s, which finds barbican in the catalogue',
    async (chart) => {
      const text = await file(chart, `${chart}.conf`)

      expect(text).toContain('[key_manager]\nbackend = barbican\n')
      expect(text).toContain('barbican_endpoint_type = internal')
      expect(text).toContain('auth_endpoint = http://keystone-api.openstack.svc.cluster.local:5000/v3')
    },
  )
})

describe('the password of valkey', () => {
  it('is in no argument: the server reads the password with its options from standard input', async () => {
    const {command} = JSON.parse(await file('valkey', 'server.json')) as {command: string}

    const lines = await said(
      'valkey',
      'valkey.sh',
      String.raw`PASSWORD='a "wo\rd"'; valkey-server() { cat; }`,
      [...command.split(' ').slice(2)],
    )

    expect(command).not.toContain('marked')
    expect(lines.split('\n')).toEqual([
      'appendonly yes',
      'dir /var/lib/valkey',
      'maxmemory 256mb',
      'maxmemory-policy noeviction',
      'port 6379',
      String.raw`requirepass "a \"wo\\rd\""`,
    ])
  })

  it.each(['aodh', 'ceilometer', 'designate'])('is read by %s from a Secret', async (chart) => {
    const objects = await charts.render(chart)
    const names = Object.keys(find(objects, 'Secret', `${chart}-env`).data ?? {})

    expect(names.filter((name) => name.endsWith('OS_COORDINATION__BACKEND_URL'))).toHaveLength(1)
    expect(secret(objects, `${chart}-env`, `${chart}.OS_COORDINATION__BACKEND_URL`)).toBe(
      'redis://:marked-coordination-admin@valkey-server.openstack.svc.cluster.local:6379',
    )
  })
})

describe('measurements of gnocchi', () => {
  it('are stored in valkey, unless the backend is Ceph', async () => {
    expect(await file('gnocchi', 'gnocchi.conf')).toContain('[storage]\ndriver = redis')
    const inCeph = {storage: {backend: 'ceph'}}
    expect(await file('gnocchi', 'gnocchi.conf', inCeph)).toMatch(/\[storage\]\n(ceph_.*\n)+driver = ceph/)
    const objects = await charts.render('gnocchi', {values: inCeph})
    expect(secret(objects, 'gnocchi-files', 'ceph.client.gnocchi.keyring')).toContain('[client.gnocchi]')
  })

  it('have a pool and an account in Ceph', async () => {
    const objects = await charts.render('ceph')

    expect(find(objects, 'ConfigMap', 'ceph-etc').data!['wanted-pools.json']).toContain('"metrics"')
    expect(secret(objects, 'ceph-files', 'clients.keyring')).toMatch(/\[client\.gnocchi\]\n.*pool=metrics/s)
  })

  it('are also received by UDP', async () => {
    const objects = await charts.render('gnocchi', {
      values: {manifests: {network_policy: true}, network_policy: {nodes: []}},
    })

    expect(portsOf(find(objects, 'Service', 'gnocchi-statsd'))).toEqual([
      {name: 'statsd-udp', port: 8125, targetPort: 'statsd-udp', protocol: 'UDP'},
    ])
    const [pod] = find(objects, 'Deployment', 'gnocchi-statsd').spec!.template!.spec.containers
    expect(pod).toMatchObject({ports: [{name: 'statsd-udp', containerPort: 8125, protocol: 'UDP'}]})
    expect(JSON.stringify(find(objects, 'NetworkPolicy', 'gnocchi-statsd'))).toContain(
      '{"port":"statsd-udp","protocol":"UDP"}',
    )
  })
})

it('services send notifications on the message bus only if they are enabled', async () => {
  const driver = async (values: object) => /^driver = .*$/m.exec(await file('cinder', 'cinder.conf', values))

  expect((await driver({}))?.[0]).toBe('driver = noop')
  expect((await driver({notifications: {enabled: true}}))?.[0]).toBe('driver = messagingv2')
})

it('events go to gnocchi, and not into an unread queue', async () => {
  expect(await file('ceilometer', 'event_pipeline.yaml')).toMatch(/publishers:\n *- gnocchi:\/\/\n/)
  expect(await file('ceilometer', 'event_pipeline.yaml')).not.toContain('notifier')
})

describe('the names of designate', () => {
  it('are resolved on port 53, by UDP and TCP', async () => {
    const objects = await charts.render('designate')
    const service = objects.find(
      ({kind, metadata}) => kind === 'Service' && metadata.name === 'designate-bind9',
    )!

    expect(portsOf(service)).toEqual([
      {name: 'dns', port: 53, targetPort: 'dns'},
      {name: 'dns-udp', port: 53, targetPort: 'dns-udp', protocol: 'UDP'},
    ])
  })

  it('are sent to BIND by workers only', async () => {
    const objects = await charts.render('designate', {
      values: {manifests: {network_policy: true}, network_policy: {nodes: []}},
    })

    const {spec} = find(objects, 'NetworkPolicy', 'designate-bind9')
    const pod = (component: string) => ({
      podSelector: {matchLabels: expect.objectContaining({'app.kubernetes.io/component': component})},
    })

    expect(spec).toMatchObject({
      ingress: [
        {ports: [{port: 'dns'}, {port: 'dns-udp'}]},
        {from: [pod('bind9'), pod('worker')], ports: [{port: 'dns'}, {port: 'dns-udp'}, {port: 'rndc'}]},
      ],
    })
  })

  it('are managed by services whose names stay the same in new pods', async () => {
    const objects = await charts.render('designate')

    for (const component of ['api', 'central', 'mdns', 'producer', 'worker']) {
      const name = `designate-${component}`
      const [container] = find(objects, 'Deployment', name).spec!.template!.spec.containers
      expect(variable(container!, 'OS_DEFAULT__HOST')).toBe(name)
    }
  })

  it('are resolved at one port of each node, by UDP and TCP, if node_port is enabled', async () => {
    const values = {network: {bind9: {node_port: {enabled: true, port: 30053}}}}
    const objects = await charts.render('designate', {values})
    const service = objects.find(
      ({kind, metadata}) => kind === 'Service' && metadata.name === 'designate-bind9',
    )!

    expect(portsOf(service)).toMatchObject([
      {name: 'dns', nodePort: 30053},
      {name: 'dns-udp', nodePort: 30053},
    ])
  })

  it('are in a database whose password is in no ConfigMap', async () => {
    const text = secret(await charts.render('designate'), 'designate-files', 'database.conf')

    expect(text).toContain('[storage:sqlalchemy]')
    expect(text).toContain('mysql+pymysql://designate:marked-db-designate@')
  })

  it.each(['designate-worker', 'designate-bind9'])(
    'are sent to BIND with a key that only the user of %s can read',
    async (component) => {
      const directory = writeFiles({})
      const file = join(directory, 'rndc.key')
      const show = `stat --format %a ${file}; cat ${file}`
      const programs = `RNDC_KEY=word; designate-worker() { ${show}; }; named() { ${show}; }`

      const lines = await said('designate', `${component}.sh`, programs, [], {
        '/var/lib/designate': directory,
      })

      expect(lines.split('\n')).toEqual([
        '600',
        'key "rndc-key" { algorithm hmac-sha256; secret "d29yZA=="; };',
      ])
    },
  )
})

describe('the port of BIND', () => {
  const at = (dns: number, udp: number) => ({
    endpoints: {dns_server: {port: {dns: {service: dns}, dns_udp: {service: udp}}}},
  })

  it.each([5353, 1053])('is the same in its Service, its container and its pool: %i', async (port) => {
    const objects = await charts.render('designate', {values: at(port, port)})

    const {containers} = find(objects, 'StatefulSet', 'designate-bind9').spec!.template!.spec
    const {data = {}} = find(objects, 'ConfigMap', 'designate-bin')
    const {ports} = containers[0] as unknown as {readonly ports: readonly object[]}
    expect(ports).toEqual(
      expect.arrayContaining([
        expect.objectContaining({name: 'dns', containerPort: port}),
        expect.objectContaining({name: 'dns-udp', containerPort: port}),
      ]),
    )
    expect(data['designate-bind9.sh']).toContain(`{ any; };\\n' ${port} ${port} >`)
    expect(data['designate-pools.py']).toContain(`"port": ${port}, "rndc_host"`)
  })

  it('is written to an options file that BIND includes', async () => {
    const directory = writeFiles({})
    const programs = `RNDC_KEY=word; named() { cat ${directory}/listen.conf; }`

    const lines = await said('designate', 'designate-bind9.sh', programs, [], {
      '/var/lib/designate': directory,
    })

    expect(lines.split('\n')).toEqual(['listen-on port 5353 { any; };', 'listen-on-v6 port 5353 { any; };'])
    expect(await file('designate', 'named.conf')).toMatch(
      /options \{[^}]*include "\/var\/lib\/designate\/listen\.conf";/,
    )
  })

  it('must be the same for UDP and TCP', async () => {
    await expect(charts.render('designate', {values: at(1053, 1054)})).rejects.toThrow(
      'BIND listens on one port',
    )
  })
})

describe('the pool configuration of BIND', () => {
  it.each(['::1', '127.0.0.1'])('has the address of mdns in either address family: %s', async (address) => {
    const directory = writeFiles({})
    const manage = join(directory, 'designate-manage')
    await writeFile(manage, '#!/bin/sh\ncat "$4"\n', {mode: 0o755})
    const {data = {}} = find(await charts.render('designate'), 'ConfigMap', 'designate-bin')
    const script = data['designate-pools.py']!.replaceAll('/tmp/', `${directory}/`)
    const env = {
      PATH: `${directory}:${process.env.PATH}`,
      MEMBERS: 'bind9-0:5353',
      MDNS: address,
      DNS_SERVER: address,
      DNS_PORT: '53',
      NS_RECORDS: '{"ns1.example.org.": 1}',
    }

    const {stdout} = await execa('python3', ['-c', script], {env})

    expect(stdout).toContain(`"masters": [{"host": "${address}", "port": 5354}]`)
    expect(stdout).toContain(`"nameservers": [{"host": "${address}", "port": 53}]`)
    expect(stdout).toContain('"rndc_host": "bind9-0", "rndc_port": 8953')
  })

  it('is accepted over IPv4 and IPv6', async () => {
    expect((await file('designate', 'named.conf')).match(/^ *inet \S+ port 8953/gm)).toHaveLength(2)
  })
})

describe('the conductor of ironic', () => {
  it('creates its directories on a new volume before its start, without an init container', async () => {
    const objects = await charts.render('ironic')
    const [conductor] = find(objects, 'StatefulSet', 'ironic-conductor').spec!.template!.spec.containers

    expect(JSON.parse(await file('ironic', 'conductor.json'))).toMatchObject({
      command: 'bash /scripts/ironic-conductor.sh',
    })
    expect(conductor!.env).toContainEqual({name: 'KOLLA_SKIP_EXTEND_START', value: ''})
    const programs = 'POD_IP=192.0.2.1; mkdir() { echo "mkdir $*"; }; uwsgi() { echo "uwsgi $*"; }'
    expect((await said('ironic', 'ironic-conductor.sh', programs)).split('\n')).toEqual([
      'mkdir --parents /var/lib/ironic/httpboot /var/lib/ironic/images /var/lib/ironic/tmp',
      'uwsgi /etc/ironic/ironic-http-uwsgi.ini',
    ])
  })

  it.each([
    ['192.0.2.1', 'http://192.0.2.1:8089'],
    ['2001:db8::1', 'http://[2001:db8::1]:8089'],
  ])('passes the location of images to machines in either address family: %s', async (address, url) => {
    const programs = `POD_IP=${address}; mkdir() { :; }; uwsgi() { echo "$OS_DEPLOY__HTTP_URL"; }`

    expect(await said('ironic', 'ironic-conductor.sh', programs)).toBe(url)
  })

  it('is queried by its test as system administrator, because only that role may list drivers', async () => {
    const objects = await charts.render('ironic')
    const [test] = pods(objects).find(({owner}) => owner.includes('ironic-test'))!.spec.containers

    expect(variable(test!, 'OS_USERNAME')).toBe('admin')
    expect(variable(test!, 'OS_SYSTEM_SCOPE')).toBe('all')
    expect(variable(test!, 'OS_PROJECT_NAME')).toBe('')
  })

  it('passes the public address of the API to machines', async () => {
    const [, section] = /\[service_catalog\]\n((?:.+\n)+)/.exec(await file('ironic', 'ironic.conf'))!

    expect(section).toContain('valid_interfaces = public\n')
  })
})

it.each([
  ['aodh', 'aodh-status'],
  ['barbican', 'barbican-status'],
  ['magnum', 'magnum-status'],
  ['manila', 'manila-status'],
  ['octavia', 'python3 /scripts/octavia-status.py'],
])('%s runs its upgrade check before the migration', async (chart, program) => {
  const objects = await charts.render(chart)
  const check = find(objects, 'Job', `${chart}-upgrade-check-`)
  const [gate] = find(objects, 'Job', `${chart}-db-sync-`).spec!.template!.spec.initContainers!

  expect(variable(gate!, 'DEPENDENCY_JOBS')!.split(',')).toContain(check.metadata.name)
  expect(JSON.parse(await file(chart, 'upgrade-check.json'))).toMatchObject({
    command: `${program} upgrade check`,
  })
})

describe('shares of manila', () => {
  const withFileSystem = {manifests: {statefulset_mds: true}}

  it('have a CephFS file system and a Ceph account if enabled', async () => {
    const objects = await charts.render('ceph', {values: withFileSystem})
    const pools = JSON.parse(find(objects, 'ConfigMap', 'ceph-etc').data!['wanted-pools.json']!)

    expect(pools.file_systems).toEqual({cephfs: {metadata: 'cephfs_metadata', data: 'cephfs_data'}})
    expect(pools.pools).toMatchObject({cephfs_data: {application: 'cephfs'}, images: {application: 'rbd'}})
    expect(secret(objects, 'ceph-files', 'clients.keyring')).toContain(
      '[client.manila]\ncaps mgr = "allow rw"\ncaps mon = "allow r"\nkey = marked-ceph-mon-manila-key\n',
    )
    expect(secret(objects, 'ceph-files', 'ceph.client.bootstrap-mds.keyring')).toContain(
      '[client.bootstrap-mds]',
    )
    const [mds] = find(objects, 'StatefulSet', 'ceph-mds').spec!.template!.spec.initContainers!
    expect(variable(mds!, 'DEPENDENCY_JOBS')).toContain('ceph-pools-')
  })

  it('have no file system and no account otherwise', async () => {
    const objects = await charts.render('ceph')

    expect(
      objects.filter(({kind, metadata}) => kind === 'StatefulSet' && metadata.name === 'ceph-mds'),
    ).toEqual([])
    expect(find(objects, 'ConfigMap', 'ceph-etc').data!['wanted-pools.json']).not.toContain('cephfs')
    expect(secret(objects, 'ceph-files', 'clients.keyring')).not.toMatch(/manila|mds/)
  })

  it('are of a backend whose name is independent of pods, and which alone has the key of Ceph', async () => {
    const objects = await charts.render('manila')
    const filesOf = (name: string) =>
      find(objects, 'Deployment', name).spec!.template!.spec.volumes!.flatMap(({projected}) =>
        (projected?.sources ?? []).flatMap((source) => source.secret?.items.map(({path}) => path) ?? []),
      )

    expect(await file('manila', 'manila.conf')).toMatch(/^host = manila$/m)
    expect(filesOf('manila-share')).toEqual(['ceph.client.manila.keyring'])
    expect(filesOf('manila-api')).toEqual([])
    expect(secret(objects, 'manila-files', 'ceph.client.manila.keyring')).toContain('[client.manila]')
  })
})

describe('a check before an upgrade', () => {
  it.each([
    ['designate', 'designate-status designate-manage database current'],
    ['ironic', 'ironic-status ironic-dbsync version'],
  ])('of %s is run against its database', async (chart, args) => {
    expect(JSON.parse(await file(chart, 'upgrade-check.json'))).toMatchObject({
      command: `bash /scripts/upgrade-check.sh ${args}`,
    })
  })

  it.each([
    ['designate', 'db-sync', 'upgrade-check'],
    // It reads rows as the new release knows them.
    ['ironic', 'upgrade-check', 'db-sync'],
  ])('of %s: %s is after %s', async (chart, job, before) => {
    const [gate] = find(await charts.render(chart), 'Job', `${chart}-${job}-`).spec!.template!.spec
      .initContainers!

    expect(variable(gate!, 'DEPENDENCY_JOBS')).toContain(`${chart}-${before}-`)
  })

  it.each([
    ['None', 2, 0],
    ['', 2, 0],
    ['c3a7', 0, 0],
    ['c3a7', 1, 0],
    ['c3a7', 2, 1],
    ['c3a7', 255, 1],
  ])('of schema %s with status %i exits with %i', async (version, says, ends) => {
    const programs = `version() { echo ${version}; }; status() { return ${says}; }`

    const script = said('ironic', 'upgrade-check.sh', programs, ['status', 'version'])
    const code = await script.then(
      () => 0,
      ({exitCode}) => exitCode,
    )

    expect(code).toBe(ends)
  })
})

it('the dashboard has the panels of its image, except those that would appear without their service', async () => {
  const objects = await charts.render('horizon')
  const [server] = find(objects, 'Deployment', 'horizon-server').spec!.template!.spec.containers
  const linked = /for module in (.*); do/.exec(
    readFileSync(join(CHARTS, '../images/horizon/as-pip'), 'utf8'),
  )![1]!
  const enabled = (server!.env ?? []).filter(({name, value}) => name.startsWith('ENABLE_') && value === 'yes')

  expect(enabled.map(({name}) => name)).toEqual([
    'ENABLE_DESIGNATE',
    'ENABLE_HEAT',
    'ENABLE_IRONIC',
    'ENABLE_MANILA',
    'ENABLE_OCTAVIA',
  ])
  expect(linked.split(' ')).toEqual(
    expect.arrayContaining([
      'designatedashboard',
      'heat_dashboard',
      'ironic_ui',
      'magnum_ui',
      'manila_ui',
      'octavia_dashboard',
    ]),
  )
})

it('octavia and its OVN provider use the network service inside the cluster', async () => {
  const [, section] = /\[neutron\]\n((?:.+\n)+)/.exec(await file('octavia', 'octavia.conf'))!

  expect(section).toContain('endpoint_override = http://neutron-server.openstack.svc.cluster.local:9696\n')
})

it.each(['aodh', 'ceilometer'])(
  '%s accesses other services with its own account, at their internal addresses',
  async (chart) => {
    const [, section] = /\[service_credentials\]\n((?:.+\n)+)/.exec(await file(chart, `${chart}.conf`))!

    expect(section).toContain('interface = internal\n')
    expect(section).toContain(`username = ${chart}\n`)
  },
)

it.each([
  ['murano', '2024.1'],
  ['panko', 'Xena'],
])('%s is marked as deprecated, with the date and the replacement', (chart, since) => {
  const read = (file: string) => readFileSync(join(CHARTS, chart, file), 'utf8')

  expect(read('Chart.yaml')).toMatch(/^deprecated: true$/m)
  expect(read('templates/NOTES.txt')).toContain(`since ${since}`)
  expect(read('templates/NOTES.txt')).toContain('Replacements:')
})

function portsOf(service: KubernetesObject) {
  return service.spec!.ports
}

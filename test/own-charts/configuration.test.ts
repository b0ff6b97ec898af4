import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {GIVEN, SERVICES, useCharts, valuesOf} from './support/charts.ts'
import {
  containers,
  find,
  type KubernetesObject,
  ofKind,
  pods,
  secret,
  variable,
  workloads,
} from './support/objects.ts'

const charts = await useCharts()

describe.each(SERVICES)('the configuration of %s', async (chart) => {
  const objects = await charts.render(chart)

  it('contains no secret outside a Secret', () => {
    const elsewhere = objects.filter(({kind}) => kind !== 'Secret')

    expect(JSON.stringify(elsewhere)).not.toMatch(/marked-/)
  })

  it('follows the contract of kolla: every file in config.json is mounted, and has a destination', () => {
    const kolla = pods(objects).filter(({spec}) => spec.containers[0]?.command?.includes('kolla_start'))

    for (const {owner, spec} of kolla) {
      const mounted = mountedFiles(objects, spec)
      const config = JSON.parse(mounted.get('config.json') ?? '') as {
        command: string
        config_files: {source: string; dest: string; owner: string; perm: string}[]
      }

      expect(config.command, owner).toMatch(/^[\w/]/)
      for (const file of config.config_files) {
        expect(mounted.keys().map((name) => `/var/lib/kolla/config_files/${name}`)).toContain(file.source)
        expect(file.dest).toMatch(/^\/etc\//)
        expect(file.perm).toMatch(/^0[0-7]{3}$/)
        expect(file.owner).not.toBe('')
      }
      expect(variable(spec.containers[0]!, 'KOLLA_CONFIG_STRATEGY')).toBe('COPY_ONCE')
    }
  })

  it('refers only to secrets of the release', () => {
    for (const pod of pods(objects)) {
      for (const {env} of containers(pod)) {
        for (const {valueFrom} of env ?? []) {
          const reference = valueFrom?.secretKeyRef
          if (reference !== undefined) expect(secret(objects, reference.name, reference.key)).not.toBe('')
        }
      }
    }
  })
})

describe('the options of a configuration file', () => {
  const conf = async (keystone: object) =>
    find(await charts.render('keystone', {values: {conf: {keystone}}}), 'ConfigMap', 'keystone-etc').data?.[
      'keystone.conf'
    ]

  it.each([
    ['render integers as written', {DEFAULT: {max_token_size: 1048576}}, 'max_token_size = 1048576'],
    ['render floating-point numbers as written', {DEFAULT: {ratio: 0.25}}, 'ratio = 0.25'],
    ['render booleans in lower case', {DEFAULT: {debug: true}}, 'debug = true'],
    ['join lists with commas', {auth: {methods: ['password', 'token']}}, 'methods = password,token'],
    ['repeat options of type multistring', {a: {b: {type: 'multistring', values: ['x', 2]}}}, 'b = x\nb = 2'],
    ['indent continued lines', {a: {b: 'one\ntwo'}}, 'b = one\n  two'],
    [
      'have the values of the user over defaults',
      {cache: {backend: 'dogpile.cache.null'}},
      'backend = dogpile.cache.null',
    ],
  ])('%s', async (_, keystone, line) => {
    expect(await conf(keystone)).toContain(`${line}\n`)
  })

  it('are removed by null in any layer', async () => {
    const text = await conf({cache: {enabled: null}, token: {provider: null}})

    expect(text).not.toMatch(/^(enabled|provider) =/m)
    expect(text).toMatch(/^memcache_servers =/m)
  })

  it('that are secret are passed to the pod as environment variables, also if the user sets them', async () => {
    const conf = {keystone: {database: {connection: 'marked-database'}}}

    const objects = await charts.render('keystone', {values: {conf}})

    const [api] = workloads(objects)
    expect(variable(api!.spec!.template!.spec.containers[0]!, 'OS_DATABASE__CONNECTION')).toBe(
      'keystone-env/keystone.OS_DATABASE__CONNECTION',
    )
    expect(secret(objects, 'keystone-env', 'keystone.OS_DATABASE__CONNECTION')).toBe('marked-database')
    expect(find(objects, 'ConfigMap', 'keystone-etc').data).toHaveProperty('keystone.conf')
  })

  it.each([
    ['a password', {ldap: {password: 'marked-1'}}],
    ['a number', {ldap: {password: 73195284}}],
    ['an option that only oslo.config calls secret', {vault: {approle_role_id: 'marked-1'}}],
    ['lines', {simple_crypto_plugin: {kek: {type: 'multistring', values: ['marked-1', 'marked-2']}}}],
    ['a list', {profiler: {hmac_keys: ['marked-1', 'marked-2']}}],
    ['a URL with a password', {any: {url: 'redis://me:marked-1@host'}}],
    ['a section that no variable can be called after', {'backend-1': {san_password: 'marked-1'}}],
  ])('that are secret and added by the user move their file into a Secret: %s', async (_, keystone) => {
    const objects = await charts.render('keystone', {values: {conf: {keystone}}})

    const [api] = pods(workloads(objects))
    const file = mountedFiles(objects, api!.spec).get('keystone.conf')
    expect(file).toBe(secret(objects, 'keystone-files', 'keystone.conf'))
    expect(file).toMatch(/marked-1|73195284/)
    const elsewhere = JSON.stringify(objects.filter(({kind}) => kind !== 'Secret'))
    expect(elsewhere).not.toMatch(/marked-|73195284/)
  })

  it.each([
    ['switches', {keystone_authtoken: {use_token: true}}],
    ['settings', {token: {provider: 'jws'}, fernet_tokens: {max_active_keys: 5}}],
    ['paths of keys', {ssl: {client_key: '/etc/ssl/private/client.key'}}],
  ])('that are not secret stay in the ConfigMap: %s', async (_, keystone) => {
    const objects = await charts.render('keystone', {values: {conf: {keystone}}})

    expect(find(objects, 'ConfigMap', 'keystone-etc').data).toHaveProperty('keystone.conf')
  })

  it.each([
    ['paste', {'filter:auth': {admin_password: 'marked-1'}}],
    ['policy', {clients: [{name: 'x', apiKey: 'marked-1'}]}],
    ['policy', '# any\nadmin_password: marked-1\n'],
    ['policy', 'key "a" {\n  secret "marked-1";\n}\n'],
  ])('that are secret in files of another format move the file into a Secret: %s', async (key, conf) => {
    const objects = await charts.render('keystone', {values: {conf: {[key]: conf}}})

    expect(JSON.stringify(objects.filter(({kind}) => kind !== 'Secret'))).not.toContain('marked-1')
  })

  it('of two domains have a separate password in the file of each domain', async () => {
    const file = (name: string) => ({path: `/etc/keystone/domains/keystone.${name}.conf`})
    const domain = (name: string) => ({ldap: {url: `ldap://${name}`, password: `marked-${name}`}})

    const objects = await charts.render('keystone', {
      values: {
        files: {one: file('one'), other: file('other')},
        conf: {one: domain('one'), other: domain('other'), keystone: {ldap: {password: 'marked-default'}}},
      },
    })

    const [api] = pods(workloads(objects))
    const files = mountedFiles(objects, api!.spec)
    expect(files.get('keystone.one.conf')).toContain('password = marked-one\n')
    expect(files.get('keystone.other.conf')).toContain('password = marked-other\n')
    expect(files.get('keystone.conf')).toContain('password = marked-default\n')
    expect(variable(api!.spec.containers[0]!, 'OS_LDAP__PASSWORD')).toBeUndefined()
    expect(JSON.stringify(objects.filter(({kind}) => kind !== 'Secret'))).not.toMatch(
      /marked-(one|other|default)/,
    )
  })

  it('of two files with the same environment variable in one container are refused', async () => {
    const files = {other: {path: '/etc/keystone/other.conf', uses: {database: {user: 'other'}}}}
    const global = mergeValues(GIVEN, {endpoints: {oslo_db: {auth: {other: {password: 'marked-other'}}}}})

    const refused = await charts.refusal('keystone', {values: {files}, global})

    expect(refused).toContain(
      'files keystone and other both give db-expand the variable OS_DATABASE__CONNECTION',
    )
  })

  it.each([
    ['database', 'connection'],
    ['DEFAULT', 'transport_url'],
  ])(
    'of a second file that a variable of the first would override are refused: %s.%s',
    async (section, option) => {
      const refused = await charts.refusal('neutron', {
        values: {conf: {ml2: {[section]: {[option]: 'sqlite://'}}}},
      })

      expect(refused).toMatch(
        new RegExp(
          `conf\\.ml2\\.${section}\\.${option} has no effect in [\\w-]+, which .*: set it in conf\\.neutron`,
        ),
      )
    },
  )

  it('are in two oslo files of one component only for the known pairs of files', () => {
    const pairs = SERVICES.flatMap((chart) => {
      const {components = {}} = valuesOf(chart)
      const {files = {}} = valuesOf(chart)
      const isOslo = (key: string) => files[key] !== undefined && (files[key].format ?? 'oslo') === 'oslo'
      return Object.values(components).flatMap((component) => {
        const read = ((component as {files?: readonly string[]} | null)?.files ?? []).filter(isOslo)
        return read.slice(1).map((second) => `${chart}: ${read[0]}, ${second}`)
      })
    })

    expect([...new Set(pairs)]).toEqual([
      'neutron: neutron, ml2',
      'neutron: neutron_agent, ovn_metadata_agent',
    ])
  })

  it('create an optional file only if it is configured', async () => {
    const without = find(await charts.render('keystone'), 'ConfigMap', 'keystone-etc')
    const policy = {'identity:list_users': 'role:admin'}
    const given = find(
      await charts.render('keystone', {values: {conf: {policy}}}),
      'ConfigMap',
      'keystone-etc',
    )

    expect(without.data).not.toHaveProperty('policy.yaml')
    expect(given.data?.['policy.yaml']).toBe('identity:list_users: role:admin\n')
  })
})

describe('the settings for shared infrastructure', () => {
  const etc = async (chart: string) =>
    Object.values(find(await charts.render(chart), 'ConfigMap', `${chart}-etc`).data!)

  it.each(['nova', 'neutron', 'cinder', 'heat'])(
    'make the queues of %s quorum queues or streams',
    async (chart) => {
      const file = (await etc(chart)).find((text) => text.includes('[oslo_messaging_rabbit]'))

      const options = [
        'rabbit_quorum_queue',
        'rabbit_transient_quorum_queue',
        'rabbit_stream_fanout',
        'use_queue_manager',
      ]
      for (const option of options) expect(file).toContain(`${option} = true\n`)
    },
  )

  it.each(['api', 'metadata', 'conductor', 'scheduler'])(
    "let nova's %s resolve the database's name by the resolver of the system",
    async (component) => {
      const objects = await charts.render('nova')

      const {containers} = find(objects, 'Deployment', `nova-${component}`).spec!.template!.spec
      expect(variable(containers[0]!, 'EVENTLET_NO_GREENDNS')).toBe('yes')
    },
  )

  it('disable snapshot isolation in MariaDB 11.8, because no service retries such conflicts', async () => {
    expect((await etc('mariadb')).join()).toContain('innodb_snapshot_isolation = OFF\n')
  })
})

describe('the configuration hash of a component', async () => {
  const hash = async (chart: string, values: object) =>
    workloads(await charts.render(chart, {values}))[0]?.spec?.template?.metadata.annotations?.[
      'kk.openstack.org/config-hash'
    ]
  const plain = await hash('keystone', {})

  it.each([
    ['an option', {conf: {keystone: {DEFAULT: {debug: true}}}}],
    ['a new file', {conf: {policy: {a: 'b'}}}],
    ['a password', {endpoints: {oslo_db: {auth: {keystone: {password: 'other'}}}}}],
    ['the server', {conf: {keystone_api_uwsgi: {uwsgi: {processes: 7}}}}],
  ])('changes with %s', async (_, values) => {
    expect(await hash('keystone', values)).not.toBe(plain)
  })

  it('changes with the script that its container runs', async () => {
    const hashes = async (values: object) => {
      const objects = await charts.render('nova', {values})
      return ['drain-blocker', 'conductor'].map(
        (component) =>
          find(objects, 'Deployment', `nova-${component}`).spec!.template!.metadata.annotations![
            'kk.openstack.org/config-hash'
          ],
      )
    }

    const [before, after] = await Promise.all([hashes({}), hashes({images: {pull_policy: 'Always'}})])

    expect(after[0]).not.toBe(before![0])
    expect(after[1]).toBe(before![1])
  })

  it.each([
    ['replicas', {pod: {replicas: 2}}],
    ['a password that only a job reads', {endpoints: {oslo_db: {auth: {admin: {password: 'other'}}}}}],
    ['a file that no component reads', {conf: {unknown: {a: 1}}}],
    [
      'a file of another component',
      {files: {other: {path: '/etc/x', for: 'other'}}, conf: {other: {a: {b: 1}}}},
    ],
  ])('does not change with %s', async (_, values) => {
    expect(await hash('keystone', values)).toBe(plain)
  })
})

describe('endpoints', () => {
  it('have values of the section over values in global over defaults of the library', async () => {
    const named = (name: string) => ({endpoints: {oslo_cache: {hosts: {default: name}}}})
    const secrets = {endpoints: {dashboard: {auth: {secret_key: 'marked'}}}}
    const shared = {endpoints: {...secrets.endpoints, ...named('shared').endpoints}}
    const location = async (global: object, values: object) =>
      /"([^"]+):11211"/.exec(servers(await charts.render('horizon', {global, values})))?.[1]

    expect(await location(secrets, {})).toBe('memcached-server.openstack.svc.cluster.local')
    expect(await location(shared, {})).toBe('shared.openstack.svc.cluster.local')
    expect(await location(shared, named('own'))).toBe('own.openstack.svc.cluster.local')
  })

  it('have the public host, scheme and port, and IP addresses stay unchanged', async () => {
    const endpoints = {
      identity: {
        host_fqdn_override: {public: {host: 'identity.example.org'}},
        scheme: {public: 'https'},
        port: {api: {public: 443}},
      },
      oslo_db: {hosts: {default: '10.1.2.3'}, port: {mysql: {default: 3307}}},
    }

    const objects = await charts.render('glance', {values: {endpoints}})

    const conf = find(objects, 'ConfigMap', 'glance-etc').data?.['glance-api.conf']
    expect(conf).toContain('www_authenticate_uri = https://identity.example.org/v3\n')
    expect(conf).toContain('auth_url = http://keystone-api.openstack.svc.cluster.local:5000/v3\n')
    expect(secret(objects, 'glance-env', 'glance.OS_DATABASE__CONNECTION')).toBe(
      'mysql+pymysql://glance:marked-db-glance@10.1.2.3:3307/glance',
    )
  })

  it('encode special characters of a password in their URL', async () => {
    const endpoints = {oslo_messaging: {auth: {keystone: {password: 'a/b@c:d e+f'}}}}

    const objects = await charts.render('keystone', {values: {endpoints}})

    expect(secret(objects, 'keystone-env', 'keystone.OS_DEFAULT__TRANSPORT_URL')).toBe(
      'rabbit://keystone:a%2Fb%40c%3Ad%20e%2Bf@rabbitmq-server.openstack.svc.cluster.local:5672//',
    )
  })

  it('keep the digits of a password that YAML parses as a number', async () => {
    const endpoints = {oslo_messaging: {auth: {keystone: {password: 1_234_567_890}}}}

    const objects = await charts.render('keystone', {values: {endpoints}})

    expect(secret(objects, 'keystone-env', 'keystone.OS_DEFAULT__TRANSPORT_URL')).toBe(
      'rabbit://keystone:1234567890@rabbitmq-server.openstack.svc.cluster.local:5672//',
    )
  })

  it('escape a dollar sign in a password, which oslo.config would interpret as a reference', async () => {
    const endpoints = {identity: {auth: {glance: {password: 'pa$word'}}}}

    const objects = await charts.render('glance', {values: {endpoints}})

    expect(secret(objects, 'glance-env', 'glance.OS_KEYSTONE_AUTHTOKEN__PASSWORD')).toBe('pa$$word')
    // Keystone is told it as it is.
    expect(secret(objects, 'glance-env', 'identity.glance.password')).toBe('pa$word')
  })

  it('determine the port on which a service listens: panko', async () => {
    const endpoints = {event: {port: {api: {default: 9977}}}}

    const objects = await charts.render('panko', {values: {endpoints}})

    expect(find(objects, 'ConfigMap', 'panko-etc').data!['api.json']).toContain('panko-api --port=9977')
    const [api] = find(objects, 'Deployment', 'panko-api').spec!.template!.spec.containers
    expect(api).toMatchObject({ports: [{name: 'api', containerPort: 9977}]})
  })

  it('name every member of a cluster if its clients must know them', async () => {
    const endpoints = {oslo_cache: {namespace: 'infra', statefulset: {name: 'memcached-server', replicas: 2}}}

    expect(servers(await charts.render('horizon', {values: {endpoints}}))).toContain(
      '"memcached-server-1.memcached-server-peers.infra.svc.cluster.local:11211"',
    )
  })

  it('do not cache page fragments of the dashboard in memcached, which two releases share during an upgrade', async () => {
    const settings = servers(await charts.render('horizon'))

    expect(settings).toMatch(
      /"template_fragments": \{\s*"BACKEND": "django\.core\.cache\.backends\.locmem\.LocMemCache"/,
    )
  })

  it.each([
    ['mariadb', 'oslo_db.auth.admin.password'],
    ['glance', 'oslo_db.auth.glance.password'],
    ['horizon', 'dashboard.auth.secret_key'],
  ])('without a required secret are refused: %s', async (chart, path) => {
    expect(await charts.refusal(chart, {global: {}})).toContain(`endpoints.${path} is needed and not set`)
  })

  it('need no password if an external Secret has them', async () => {
    const objects = await charts.render('glance', {global: {}, values: {secrets: {env: 'kept-elsewhere'}}})

    const [api] = workloads(objects)
    expect(ofKind(objects, 'Secret')).toEqual([])
    expect(variable(api!.spec!.template!.spec.containers[0]!, 'OS_DATABASE__CONNECTION')).toBe(
      'kept-elsewhere/glance.OS_DATABASE__CONNECTION',
    )
  })
})

function servers(objects: readonly KubernetesObject[]): string {
  return secret(objects, 'horizon-files', '_9998-kolla-settings.py')
}

/** What stands in kolla's directory in a pod, by name. */
function mountedFiles(
  objects: readonly KubernetesObject[],
  spec: {volumes?: readonly object[]},
): Map<string, string> {
  const volume = (spec as Parameters<typeof containers>[0]['spec']).volumes?.find(
    ({name}) => name === 'config',
  )
  const files = new Map<string, string>()
  for (const source of volume?.projected?.sources ?? []) {
    for (const {key, path} of source.configMap?.items ?? []) {
      files.set(path, find(objects, 'ConfigMap', source.configMap!.name).data?.[key] ?? '')
    }
    for (const {key, path} of source.secret?.items ?? []) {
      files.set(path, secret(objects, source.secret!.name, key))
    }
  }
  return files
}

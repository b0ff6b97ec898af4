import {once} from 'node:events'
import {writeFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {KubernetesObject as ClusterObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {cleanupsIn} from '../../src/plan/removal/cleanup.ts'
import {testDirectory} from '../support/test-directory.ts'
import {SERVICES, useCharts} from './support/charts.ts'
import {find, type KubernetesObject, ofKind} from './support/objects.ts'

const charts = await useCharts()
const KEYSTONE = 'keystone-api.openstack.svc.cluster.local'
const MARIADB = 'mariadb-server.openstack.svc.cluster.local'
const CEPH = 'ceph-mon.openstack.svc.cluster.local'
const RABBITMQ = 'rabbitmq-server.openstack.svc.cluster.local'

/** What the CronJob of a chart says that a release has in other services. */
async function cleanupOf(chart: string, values: object = {}) {
  const objects = await charts.render(chart, {values})
  return cleanupsIn(objects as unknown as readonly ClusterObject[])[0]
}

function cronJob(objects: readonly KubernetesObject[]) {
  const {spec} = ofKind(objects, 'CronJob').find(({metadata}) => metadata.name.endsWith('-cleanup'))!
  return spec as unknown as {
    readonly suspend: boolean
    readonly jobTemplate: {
      readonly spec: {readonly template: {readonly spec: {containers: {image: string; env: Env}[]}}}
    }
  }
}
type Env = readonly {readonly name: string; readonly value?: string; readonly valueFrom?: object}[]

describe('the resources of a release in other services', () => {
  it.each(SERVICES)('are stated by %s if its jobs create any', async (chart) => {
    const jobs = ofKind(await charts.render(chart), 'Job').map(({metadata}) => metadata.name)

    const makes = jobs.some((name) => /-(register|(bus|db)-create)-[0-9a-f]{8}$/.test(name))
    expect((await cleanupOf(chart)) !== undefined).toBe(makes)
  })

  it('are derived from the facts of the jobs that create them', async () => {
    const cleanup = await cleanupOf('heat')

    expect(cleanup!.made).toMatchObject([
      {kind: 'domain', name: 'heat_user_domain', at: KEYSTONE},
      {kind: 'service', name: 'heat', type: 'orchestration', region: 'RegionOne', at: KEYSTONE},
      {kind: 'service', name: 'heat-cfn', type: 'cloudformation'},
      {kind: 'user', name: 'heat', domain: 'Default', at: KEYSTONE},
      {kind: 'bus user', name: 'heat', virtualHost: '/', at: RABBITMQ},
      {kind: 'database', name: 'heat', at: MARIADB},
      {kind: 'account', name: 'heat', at: MARIADB},
    ])
    expect(cleanup!.used).toContainEqual({name: 'openstack', at: RABBITMQ})
  })

  it.each([
    ['glance', ['images'], ['KEY_glance'], 'glance-api'],
    ['cinder', ['backups', 'volumes'], ['KEY_cinder', 'KEY_cinder_backup'], 'cinder-api'],
    ['nova', ['vms'], ['KEY_cinder'], 'nova-compute'],
  ])('begin with the data of %s in Ceph, if Ceph is a release of kk', async (chart, pools, keys, image) => {
    const inCeph = {storage: {backend: 'ceph'}}
    const elsewhere = {ceph_mon: {host_fqdn_override: {default: {host: '192.0.2.1'}}}}
    const dataOf = async (values: object) =>
      (await cleanupOf(chart, values))!.made.filter(({kind}) => kind === 'data of pool')

    const objects = await charts.render(chart, {values: inCeph})
    const [container] = cronJob(objects).jobTemplate.spec.template.spec.containers

    expect(
      cleanupsIn(objects as unknown as readonly ClusterObject[])[0]!.made.slice(0, pools.length),
    ).toMatchObject(pools.map((name) => ({kind: 'data of pool', name, at: CEPH})))
    expect(container!.image).toContain(`/${image}:`)
    expect(container!.env).toContainEqual({name: 'CEPH_HOST', value: CEPH.replace('mon', 'mon-peers')})
    expect(container!.env.flatMap(({name}) => (name.startsWith('KEY_') ? [name] : []))).toEqual(keys)
    expect(await dataOf({...inCeph, endpoints: elsewhere})).toEqual([])
    expect(await dataOf({storage: {backend: 'file'}})).toEqual([])
  })

  it('contain an account of several databases once, and an account of another service as used', async () => {
    const nova = await cleanupOf('nova')
    const neutron = await cleanupOf('neutron')

    expect(nova!.made.filter(({kind}) => kind === 'account')).toMatchObject([
      {name: 'nova'},
      {name: 'nova_api'},
    ])
    expect(neutron!.used).toContainEqual({name: 'nova', at: KEYSTONE})
  })

  it.each([
    ['job_db_create', MARIADB],
    ['job_bus_create', RABBITMQ],
  ])('exclude resources of other owners (%s)', async (job, server) => {
    const cleanup = await cleanupOf('heat', {manifests: {[job]: false}})

    expect(cleanup!.made.map(({at}) => at)).not.toContain(server)
    expect(await cleanupOf('heat', {manifests: {cron_job_cleanup: false}})).toBeUndefined()
  })
})

it('the cleanup job never runs automatically, and has no passwords except those of administrators', async () => {
  const {suspend, jobTemplate} = cronJob(await charts.render('heat'))

  const secrets = jobTemplate.spec.template.spec.containers[0]!.env.filter(({valueFrom}) =>
    JSON.stringify(valueFrom ?? {}).includes('secretKeyRef'),
  )
  expect(suspend).toBe(true)
  expect(secrets.map(({name}) => name)).toEqual(['BUS_ADMIN_PASSWORD', 'DB_ADMIN_PASSWORD', 'OS_PASSWORD'])
})

/**
 * What the script does when openstacksdk and PyMySQL only say what they are asked; `keystone` is what there
 * is.
 */
async function run(chart: string, things: readonly object[], keystone: object = {}, bus: object = {}) {
  const objects = await charts.render(chart)
  const directory = testDirectory()
  await writeFile(join(directory, 'openstack.py'), OPENSTACK)
  await writeFile(join(directory, 'pymysql.py'), PYMYSQL)
  await writeFile(join(directory, 'sitecustomize.py'), 'import time; time.sleep = lambda _: None')
  const script = find(objects, 'ConfigMap', `${chart}-bin`).data!['cleanup.py']!
  const {stdout} = await execa('python3', ['-c', script], {
    env: {
      ...{PYTHONPATH: directory, CLEANUP: JSON.stringify(things), KEYSTONE: JSON.stringify(keystone)},
      ...{DB_HOST: 'db', DB_PORT: '3306', DB_ADMIN_USER: 'root', DB_ADMIN_PASSWORD: 'word'},
      ...bus,
    },
  })
  return stdout.split('\n')
}

const PYMYSQL = `
class Cursor:
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def execute(self, statement, values=()): print("SQL", statement % values if values else statement)
class Connection:
    def query(self, statement): print("SQL", statement)
    def cursor(self): return Cursor()
def connect(**_): return Connection()
`

const OPENSTACK = `
import json, os
from types import SimpleNamespace as Thing
class Identity:
    there = {kind: [Thing(**each) for each in things] for kind, things in json.loads(os.environ["KEYSTONE"]).items()}
    def services(self, type): return (each for each in self.there.get("services", []) if each.type == type)
    def endpoints(self, service_id): return (each for each in self.there["endpoints"] if each.service_id == service_id)
    def delete_endpoint(self, one):
        self.there["endpoints"].remove(one)
        print("delete endpoint", one.id)
    def find_domain(self, name): return next((each for each in self.there.get("domains", []) if each.name == name), None)
    def find_user(self, name, domain_id): return next((each for each in self.there["users"] if each.name == name), None)
    def update_domain(self, one, is_enabled): print("enable" if is_enabled else "disable", one.name)
    def __getattr__(self, name): return lambda one: print(name, one.id)
def connect(): return Thing(identity=Identity())
`

describe('the cleanup script', () => {
  it('drops databases and accounts', async () => {
    const things = [
      {kind: 'database', name: 'a`b'},
      {kind: 'account', name: 'heat'},
    ]

    expect(await run('heat', things)).toEqual([
      'SQL DROP DATABASE IF EXISTS `a``b`',
      'database a`b',
      "SQL DROP USER IF EXISTS heat@'%'",
      'account heat',
    ])
  })

  const service = {id: 's1', type: 'orchestration'}
  const endpoint = (id: string, region_id: string) => ({id, service_id: 's1', region_id})
  const wanted = {kind: 'service', name: 'heat', type: 'orchestration', region: 'RegionOne'}

  it('deletes a service with its endpoints', async () => {
    const endpoints = [endpoint('e1', 'RegionOne'), endpoint('e2', 'RegionOne')]

    expect(await run('heat', [wanted], {services: [service], endpoints})).toEqual([
      'delete endpoint e1',
      'delete endpoint e2',
      'delete_service s1',
      'service heat',
    ])
  })

  it('keeps a service that is also in another region', async () => {
    const endpoints = [endpoint('e1', 'RegionOne'), endpoint('e2', 'RegionTwo')]

    expect(await run('heat', [wanted], {services: [service], endpoints})).toEqual([
      'delete endpoint e1',
      'service heat',
    ])
  })

  it('disables a domain before it deletes it, and deletes a user', async () => {
    const keystone = {
      domains: [
        {id: 'd1', name: 'Default'},
        {id: 'd2', name: 'heat_user_domain'},
      ],
      users: [{id: 'u1', name: 'heat'}],
    }
    const things = [
      {kind: 'domain', name: 'heat_user_domain'},
      {kind: 'user', name: 'heat', domain: 'Default'},
    ]

    expect(await run('heat', things, keystone)).toEqual([
      'disable heat_user_domain',
      'delete_domain d2',
      'domain heat_user_domain',
      'delete_user u1',
      'user heat',
    ])
  })

  it('accepts resources that no longer exist', async () => {
    const things = [wanted, {kind: 'domain', name: 'gone'}, {kind: 'user', name: 'heat', domain: 'Default'}]

    expect(await run('heat', things, {services: [], endpoints: [], domains: [], users: []})).toEqual([
      'service heat',
      'domain gone',
      'user heat',
    ])
  })

  it('needs no keystone for a chart that registers nothing', async () => {
    const script = find(await charts.render('keystone'), 'ConfigMap', 'keystone-bin').data!['cleanup.py']!

    expect(script).toContain('pymysql')
    expect(script).not.toContain('openstack.connect')
  })
})

/**
 * RabbitMQ's management API, which writes down what it is asked and has these answers; the rest is not there.
 * `after` runs after each answer.
 */
async function managementApi(
  answers: Readonly<Record<string, unknown>> = {},
  after: () => void = () => undefined,
) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`
    const body = (await request.toArray()).join('')
    asked.push(body === '{}' ? call : `${call} ${body}`)
    const isKnown = request.method === 'PUT' || call in answers
    const login = Buffer.from('openstack:wo:rd').toString('base64')
    response.statusCode = request.headers.authorization === `Basic ${login}` ? (isKnown ? 200 : 404) : 401
    response.end(answers[call] === undefined ? '' : JSON.stringify(answers[call]))
    after()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const {port} = server.address() as AddressInfo
  const env = {
    ...{BUS_HOST: '127.0.0.1', BUS_PORT: String(port), no_proxy: '*'},
    ...{BUS_ADMIN_USER: 'openstack', BUS_ADMIN_PASSWORD: 'wo:rd'},
  }
  return {asked, env}
}

describe('the user of a service on the message bus', () => {
  it('is no administrator, and has all permissions in the virtual host of the services', async () => {
    const {asked, env} = await managementApi()
    const {data} = find(await charts.render('heat'), 'ConfigMap', 'heat-bin')

    await execa('python3', ['-c', data!['bus-create.py']!], {
      env: {...env, BUS_USER: 'heat', BUS_PASSWORD: 'a"b', BUS_VIRTUAL_HOST: '/'},
    })

    expect(asked).toEqual([
      'PUT /api/users/heat {"password": "a\\"b", "tags": ""}',
      'PUT /api/permissions/%2F/heat {"configure": ".*", "write": ".*", "read": ".*"}',
    ])
  })

  const user = {kind: 'bus user', name: 'heat', virtualHost: '/'}

  const consumer = (name: string, details: unknown) => ({queue: {name}, channel_details: details})
  const deletions = {'DELETE /api/users/heat': null, 'DELETE /api/queues/%2F/engine': null}

  it('is deleted with the queues that it consumes, and no others', async () => {
    const {asked, env} = await managementApi({
      'GET /api/consumers/%2F': [
        consumer('engine', {user: 'heat'}),
        consumer('engine', {user: 'heat'}),
        consumer('conductor', {user: 'nova'}),
      ],
      ...deletions,
    })

    const said = await run('heat', [user], {}, env)

    expect(said).toEqual(['bus user heat'])
    expect(asked).toEqual([
      'GET /api/consumers/%2F',
      'DELETE /api/users/heat',
      'DELETE /api/queues/%2F/engine',
    ])
  })

  it('is deleted with the queue of a connection that was opened a moment ago', async () => {
    const answers: Record<string, unknown> = {
      'GET /api/consumers/%2F': [consumer('engine', [])],
      ...deletions,
    }
    const {asked, env} = await managementApi(answers, () => {
      if (asked.length === 2) answers['GET /api/consumers/%2F'] = [consumer('engine', {user: 'heat'})]
    })

    expect(await run('heat', [user], {}, env)).toEqual(['bus user heat'])
    expect(asked.slice(3)).toEqual(['DELETE /api/users/heat', 'DELETE /api/queues/%2F/engine'])
  })

  it('is deleted, and a queue is named whose consumer stays unknown', async () => {
    const {env} = await managementApi({
      'GET /api/consumers/%2F': [consumer('unknown', []), consumer('engine', {user: 'heat'})],
      ...deletions,
    })

    expect(await run('heat', [user], {}, env)).toEqual([
      'the queue unknown stays: RabbitMQ does not know which user consumes it',
      'bus user heat',
    ])
  })

  it('may be missing already, while a bus that rejects its administrator is an error', async () => {
    const {env} = await managementApi({'GET /api/consumers/%2F': []})

    expect(await run('heat', [user], {}, env)).toEqual(['bus user heat'])
    await expect(run('heat', [user], {}, {...env, BUS_ADMIN_PASSWORD: 'other'})).rejects.toThrow('401')
  })
})

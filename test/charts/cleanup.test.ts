import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {KubernetesObject as ClusterObject} from '../../src/cluster/cluster.ts'
import {cleanupsIn} from '../../src/plan/removal/cleanup.ts'
import {SERVICES, useCharts} from './support/charts.ts'
import {find, type KubernetesObject, ofKind} from './support/objects.ts'

const charts = await useCharts()
const KEYSTONE = 'keystone-api.openstack.svc.cluster.local'
const MARIADB = 'mariadb-server.openstack.svc.cluster.local'

/** What the CronJob of a chart says that a release has in other services. */
async function cleanupOf(chart: string, values: object = {}) {
  const objects = await charts.render(chart, {values})
  return cleanupsIn(objects as unknown as readonly ClusterObject[])[0]
}

function cronJob(objects: readonly KubernetesObject[]) {
  const {spec} = ofKind(objects, 'CronJob').find(({metadata}) => metadata.name.endsWith('-cleanup'))!
  return spec as unknown as {
    readonly suspend: boolean
    readonly jobTemplate: {readonly spec: {readonly template: {readonly spec: {containers: {env: Env}[]}}}}
  }
}
type Env = readonly {readonly name: string; readonly value?: string; readonly valueFrom?: object}[]

describe('what a release has in other services', () => {
  it.each(SERVICES)('is stated by %s if its jobs make any', async (chart) => {
    const jobs = ofKind(await charts.render(chart), 'Job').map(({metadata}) => metadata.name)

    const makes = jobs.some((name) => /-(register|db-create)-[0-9a-f]{8}$/.test(name))
    expect((await cleanupOf(chart)) !== undefined).toBe(makes)
  })

  it('is made of the facts of the jobs that make it', async () => {
    const cleanup = await cleanupOf('heat')

    expect(cleanup!.made).toMatchObject([
      {kind: 'service', name: 'heat', type: 'orchestration', region: 'RegionOne', at: KEYSTONE},
      {kind: 'service', name: 'heat-cfn', type: 'cloudformation'},
      {kind: 'domain', name: 'heat_user_domain', at: KEYSTONE},
      {kind: 'user', name: 'heat', domain: 'Default', at: KEYSTONE},
      {kind: 'database', name: 'heat', at: MARIADB},
      {kind: 'account', name: 'heat', at: MARIADB},
    ])
    expect(cleanup!.used).toContainEqual({
      name: 'openstack',
      at: 'rabbitmq-server.openstack.svc.cluster.local',
    })
  })

  it('names an account of several databases once, and one of another service as used', async () => {
    const nova = await cleanupOf('nova')
    const neutron = await cleanupOf('neutron')

    expect(nova!.made.filter(({kind}) => kind === 'account')).toMatchObject([
      {name: 'nova'},
      {name: 'nova_api'},
    ])
    expect(neutron!.used).toContainEqual({name: 'nova', at: KEYSTONE})
  })

  it('is not what somebody else makes', async () => {
    const cleanup = await cleanupOf('heat', {manifests: {job_db_create: false}})

    expect(cleanup!.made.map(({at}) => at)).not.toContain(MARIADB)
    expect(await cleanupOf('heat', {manifests: {cron_job_cleanup: false}})).toBeUndefined()
  })
})

it('what takes it away never runs by itself, and has no password but those of the administrators', async () => {
  const {suspend, jobTemplate} = cronJob(await charts.render('heat'))

  const secrets = jobTemplate.spec.template.spec.containers[0]!.env.filter(({valueFrom}) =>
    JSON.stringify(valueFrom ?? {}).includes('secretKeyRef'),
  )
  expect(suspend).toBe(true)
  expect(secrets.map(({name}) => name)).toEqual(['DB_ADMIN_PASSWORD', 'OS_PASSWORD'])
})

/** What the script does when openstacksdk and PyMySQL only say what they are asked; `keystone` is what there is. */
async function run(chart: string, things: readonly object[], keystone: object = {}) {
  const objects = await charts.render(chart)
  const directory = await mkdtemp(join(tmpdir(), 'kk-cleanup-'))
  onTestFinished(() => rm(directory, {recursive: true}))
  await writeFile(join(directory, 'openstack.py'), OPENSTACK)
  await writeFile(join(directory, 'pymysql.py'), PYMYSQL)
  const script = find(objects, 'ConfigMap', `${chart}-bin`).data!['cleanup.py']!
  const {stdout} = await execa('python3', ['-c', script], {
    env: {
      ...{PYTHONPATH: directory, CLEANUP: JSON.stringify(things), KEYSTONE: JSON.stringify(keystone)},
      ...{DB_HOST: 'db', DB_PORT: '3306', DB_ADMIN_USER: 'root', DB_ADMIN_PASSWORD: 'word'},
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

describe('the script', () => {
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

  it('leaves a service that is in another region, too', async () => {
    const endpoints = [endpoint('e1', 'RegionOne'), endpoint('e2', 'RegionTwo')]

    expect(await run('heat', [wanted], {services: [service], endpoints})).toEqual([
      'delete endpoint e1',
      'service heat',
    ])
  })

  it('deletes a domain when it is disabled, and a user', async () => {
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

  it('is content with what is gone already', async () => {
    const things = [wanted, {kind: 'domain', name: 'gone'}, {kind: 'user', name: 'heat', domain: 'Default'}]

    expect(await run('heat', things, {services: [], endpoints: [], domains: [], users: []})).toEqual([
      'service heat',
      'domain gone',
      'user heat',
    ])
  })

  it('of a chart that registers nothing needs no keystone', async () => {
    const script = find(await charts.render('keystone'), 'ConfigMap', 'keystone-bin').data!['cleanup.py']!

    expect(script).toContain('pymysql')
    expect(script).not.toContain('openstack.connect')
  })
})

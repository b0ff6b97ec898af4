import {once} from 'node:events'
import {readFile, stat} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {fakePymysql} from '../support/fake-pymysql.ts'
import {testDirectory} from '../support/test-directory.ts'
import {SERVICES, useCharts, valuesOf} from './support/charts.ts'
import {checksOf, runStatus, specOf, statusOf} from './support/service-status.ts'

const charts = await useCharts()
const REPORTING = SERVICES.filter((chart) => valuesOf(chart).service_status !== undefined)

it('the charts that report the status of their service', () => {
  expect(REPORTING).toEqual([
    ...['ceph', 'cinder', 'designate', 'heat', 'ironic', 'libvirt', 'magnum', 'manila', 'mariadb'],
    ...['neutron', 'nova', 'octavia', 'ovn', 'rabbitmq'],
  ])
})

describe.each(REPORTING)('the status of %s', (chart) => {
  const render = (values: object = {}) => charts.render(chart, {values})

  it('is one pod that waits for nothing, is never restarted, and has access to the API only if the chart states it', async () => {
    const deployment = statusOf(await render({pod: {replicas: 3}}))
    const {replicas, template} = specOf(deployment)
    const {spec} = template

    expect(deployment).toMatchObject({
      kind: 'Deployment',
      metadata: {name: `${chart}-status`, annotations: {'kk.openstack.org/service-status': 'true'}},
    })
    expect(replicas).toBe(1)
    expect(spec.automountServiceAccountToken).toBe(false)
    expect(spec.initContainers ?? []).toEqual([])
    const hasAccess = valuesOf(chart).service_status?.['rbac'] !== undefined
    expect(spec.volumes?.some(({name}) => name === 'token')).toBe(hasAccess)
    expect(spec.containers[0]).toMatchObject({
      command: ['python3', '/scripts/service-status.py'],
      readinessProbe: {exec: {command: ['test', '/tmp/healthy', '-nt', '/proc/self']}, failureThreshold: 1},
    })
    expect(spec.containers[0]).not.toHaveProperty('livenessProbe')
  })

  it('is nothing that another pod waits for', async () => {
    const waits = (await render()).flatMap(({kind, spec}) =>
      kind === 'ConfigMap' ? [] : (JSON.stringify(spec ?? {}).match(/DEPENDENCY_\w+","value":"[^"]*/g) ?? []),
    )

    expect(waits.filter((each) => each.includes(`${chart}-status`))).toEqual([])
  })

  it('is off with manifests.deployment_status: false, and if no component has a pod', async () => {
    expect(statusOf(await render({manifests: {deployment_status: false}}))).toBeUndefined()
    expect(statusOf(await render({pod: {replicas: 0}}))).toBeUndefined()
  })

  it('has no deadline, because a service may become healthy at any time', async () => {
    expect(specOf(statusOf(await render()))).toMatchObject({progressDeadlineSeconds: 2 ** 31 - 1})
  })
})

it('requires the replicas of a component, times its processes', async () => {
  const engines = async (values: object) =>
    checksOf(await charts.render('heat', {values}))['engines']?.least['heat-engine']

  expect(await engines({})).toBe(2)
  expect(await engines({pod: {replicas: {engine: 3}}})).toBe(6)
  expect(await engines({conf: {heat: {DEFAULT: {num_engine_workers: 4}}}})).toBe(4)
  expect(await engines({manifests: {deployment_engine: false}})).toBe(0)
})

it.each([
  ['no replica', {pod: {replicas: {conductor: 0}}}, 0],
  ['no Deployment', {manifests: {deployment_conductor: false}}, 0],
  ['several replicas, with one host name', {pod: {replicas: {conductor: 3}}}, 1],
])('requires at most the replicas that a component has: %s', async (_, values, least) => {
  const checks = checksOf(await charts.render('nova', {values}))

  expect(checks['services']?.least).toEqual({'nova-conductor': least, 'nova-scheduler': 1})
})

it('takes the time after which a service is down from its options', async () => {
  const seconds = async (values: object) =>
    checksOf(await charts.render('nova', {values}))['services']?.down_after

  expect(await seconds({})).toBe(60)
  expect(await seconds({conf: {nova: {DEFAULT: {service_down_time: 180}}}})).toBe(180)
})

it('is declared by facts in a chart of one’s own', async () => {
  await charts.copy('memcached', 'own')
  const query = 'SELECT name, seen FROM agents'
  const values = {
    service_status: {image: 'heat-api', checks: {agents: {query, down_after: 30, summary: 'agents up'}}},
  }

  const objects = await charts.render('own', {values})

  expect(specOf(statusOf(objects)).template.spec.containers[0]?.image).toContain('/heat-api:')
  expect(checksOf(objects)).toEqual({agents: {query, down_after: 30, summary: 'agents up', least: {}}})
})

const run = (chart: string, variables: Readonly<Record<string, string>>) =>
  runStatus(charts, chart, variables)

/** A port of this machine that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  server.close()
  return port
}

const connections = (url: string) => ({OS_DATABASE__CONNECTION: url, OS_API_DATABASE__CONNECTION: url})

async function sqlite(...statements: readonly string[]) {
  const path = join(testDirectory(), 'database')
  await change(path, ...statements)
  return {path, url: `sqlite://${path}`}
}

async function change(path: string, ...statements: readonly string[]) {
  const program = 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2])'
  await execa('python3', ['-c', program, path, `${statements.join(';')};`])
}

const LONG_AGO = "'2026-01-02 03:04:05'"
const NOVA = [
  'CREATE TABLE cell_mappings (uuid, name, disabled, database_connection)',
  "INSERT INTO cell_mappings VALUES ('00000000-0000-0000-0000-000000000000', 'cell0', 0, '{scheme}:///{path}'), ('1', 'cell1', 1, 'mysql://off')",
  'CREATE TABLE services (host, `binary`, disabled, deleted, forced_down, last_seen_up, created_at, disabled_reason)',
  "INSERT INTO services SELECT 'c', 'nova-conductor', 0, 0, 0, datetime('now'), datetime('now'), NULL",
  "INSERT INTO services SELECT 's', 'nova-scheduler', 0, 0, 0, NULL, datetime('now'), NULL",
  `INSERT INTO services VALUES ('a', 'nova-osapi_compute', 0, 0, 0, NULL, ${LONG_AGO}, NULL)`,
  'CREATE TABLE compute_nodes (host, mapped, deleted)',
]
const compute = (disabled: number) =>
  `INSERT INTO services VALUES ('node1', 'nova-compute', ${disabled}, 0, 0, ${LONG_AGO}, ${LONG_AGO}, NULL)`

describe('the program', () => {
  it('serves its last answer to Prometheus', async () => {
    const {url} = await sqlite(...NOVA, compute(0))
    const port = await freePort()
    const metrics = {METRICS_ADDRESS: '127.0.0.1', METRICS_PORT: String(port)}

    const {next} = await run('nova', {...connections(url), ...metrics})
    const {state, findings} = await next()
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

    expect([state, findings.length]).toEqual(['unhealthy', 1])
    expect(text.split('\n').filter((line) => /^kk_service_(state|findings)/.test(line))).toEqual([
      'kk_service_state{state="healthy"} 0',
      'kk_service_state{state="unhealthy"} 1',
      'kk_service_state{state="unknown"} 0',
      'kk_service_findings 1',
    ])
    expect(Number(/^kk_service_age_seconds (\S+)$/m.exec(text)![1])).toBeLessThan(60)
  })

  it('reports a healthy service, and is ready for some time after that', async () => {
    const {url} = await sqlite(...NOVA, compute(1))

    const {next, mark, directory, child} = await run('nova', connections(url))

    const answer = await next()
    expect(answer).toEqual({state: 'healthy', summary: 'compute services up: 2', findings: []})
    expect((await stat(mark)).mtimeMs).toBeGreaterThan(Date.now() + 20_000)
    expect((await execa('test', [mark, '-nt', '/proc/self'], {reject: false})).exitCode).toBe(0)
    expect(JSON.parse(await readFile(join(directory, 'status.json'), 'utf8'))).toEqual(answer)
    child.kill('SIGTERM')
    expect((await child).exitCode).toBe(0)
  })

  it.each([
    [
      'a service that no longer reports',
      compute(0),
      ['nova-compute on node1: down, no report since 2026-01-02 03:04:05Z'],
    ],
    [
      'a service that is forced down',
      "INSERT INTO services SELECT 'node1', 'nova-compute', 0, 0, 1, datetime('now'), datetime('now'), NULL",
      ['nova-compute on node1: forced down'],
    ],
    [
      'a compute that has disabled itself',
      "INSERT INTO services SELECT 'node1', 'nova-compute', 1, 0, 0, datetime('now'), datetime('now'), 'AUTO: Connection to libvirt lost: 1'",
      ['nova-compute on node1: takes no instances, because it has disabled itself'],
    ],
    [
      'a compute that disabled itself before its node went down',
      `INSERT INTO services VALUES ('node1', 'nova-compute', 1, 0, 0, ${LONG_AGO}, ${LONG_AGO}, 'AUTO: Connection to libvirt lost: 1')`,
      ['nova-compute on node1: down, no report since 2026-01-02 03:04:05Z'],
    ],
    [
      'a host without a mapping',
      "INSERT INTO compute_nodes VALUES ('node1', 0, 0)",
      ['nova-compute on node1: no cell has a mapping of its host'],
    ],
    [
      'a service that has never registered',
      "DELETE FROM services WHERE `binary` = 'nova-conductor'",
      ['nova-conductor: 0 of 1 up'],
    ],
    ['a cell that does not exist', "DELETE FROM cell_mappings WHERE name = 'cell1'", ['cell: 0 of 1 exist']],
  ])('finds %s', async (_, statement, findings) => {
    const {url} = await sqlite(...NOVA, statement)

    const {next} = await run('nova', connections(url))

    expect(await next()).toMatchObject({state: 'unhealthy', findings})
  })

  it('reports that a state is unknown until the tables exist, and then the new state', async () => {
    const {path, url} = await sqlite('SELECT 1')
    const {next, mark} = await run('nova', connections(url))

    expect(await next()).toMatchObject({
      state: 'unknown',
      findings: expect.arrayContaining(['services: no such table: cell_mappings']),
    })
    await expect(stat(mark)).rejects.toThrow('ENOENT')

    await change(path, ...NOVA)
    let answer = await next()
    while (answer.state !== 'healthy') answer = await next()
    expect((await stat(mark)).isFile()).toBe(true)
  })

  it('counts the processes that report if hosts are pods, and ignores those that are gone', async () => {
    const tables = 'CREATE TABLE service (`binary`, host, updated_at, created_at, deleted_at)'
    const old = `INSERT INTO service VALUES ('heat-engine', 'old', ${LONG_AGO}, ${LONG_AGO}, NULL)`
    const one = `INSERT INTO service SELECT 'heat-engine', 'new', datetime('now'), datetime('now'), NULL`
    const [both, half] = [await sqlite(tables, old, one, one), await sqlite(tables, old, one)]

    const [healthy, unhealthy] = [
      await run('heat', connections(both.url)),
      await run('heat', connections(half.url)),
    ]

    expect(await healthy.next()).toEqual({state: 'healthy', summary: 'engines up: 2', findings: []})
    expect(await unhealthy.next()).toMatchObject({findings: ['heat-engine: 1 of 2 up']})
  })

  it.each(['cinder', 'manila'])(
    'takes the newest report of the schedulers of %s, which share a host',
    async (chart) => {
      const least = {cinder: ['cinder-volume'], manila: ['manila-data', 'manila-share']}[chart]!
      const row = (name: string, seen: string) =>
        `INSERT INTO services SELECT '${name}', '${chart}', ${seen}, ${LONG_AGO}, 0, 0`
      const scheduler = `${chart}-scheduler`
      const {url} = await sqlite(
        'CREATE TABLE services (`binary`, host, updated_at, created_at, deleted, disabled)',
        row(scheduler, "datetime('now')"),
        row(scheduler, LONG_AGO),
        ...least.map((name) => row(name, "datetime('now')")),
      )

      const {next} = await run(chart, connections(url))

      expect(await next()).toMatchObject({state: 'healthy', findings: []})
    },
  )

  it('ignores what a component that is switched off has left', async () => {
    const {url} = await sqlite(...NOVA, `UPDATE services SET created_at = ${LONG_AGO}, last_seen_up = NULL`)
    const values = {pod: {replicas: {conductor: 0}}}
    const CHECKS = JSON.stringify(checksOf(await charts.render('nova', {values})))

    const {next} = await run('nova', {...connections(url), CHECKS})

    expect(await next()).toMatchObject({
      findings: ['nova-scheduler on s: down, no report since 2026-01-02 03:04:05Z'],
    })
  })

  it('reads a connection as SQLAlchemy does', async () => {
    const url = 'mysql+pymysql://nova:12/p#?%40ss@[::1]:3307/nova?ssl_ca=/ca.crt'

    const {next} = await run('nova', {...connections(url), PYTHONPATH: await fakePymysql()})

    expect(await next()).toMatchObject({
      ...{host: '::1', port: 3307, user: 'nova', password: '12/p#?@ss', database: 'nova'},
      ssl: {ca: '/ca.crt'},
    })
  })

  it('does not quote a connection that it cannot read', async () => {
    const field = "INSERT INTO cell_mappings VALUES ('2', 'cell2', 0, 'mysql://nova:{secret}@db/nova')"
    const {url} = await sqlite(...NOVA, field)
    const [cell, own] = [
      await run('nova', connections(url)),
      await run('nova', connections('mysql://nova:se@cret@db:secret/nova')),
    ]

    const answers = [await cell.next(), await own.next()].map(({findings}) => findings.join())

    expect(answers[0]).toContain('the connection of a cell has unknown fields')
    expect(answers[1]).toContain('the connection is no URL')
    expect(answers.join()).not.toMatch(/se@?cret/)
  })

  it('reports the findings of a script of the chart', async () => {
    const script = 'def check():\n    return "1 member", ["a: does not answer"]\n'

    const {next} = await run('nova', {script})

    expect(await next()).toEqual({state: 'unhealthy', summary: '1 member', findings: ['a: does not answer']})
  })
})

/** The management API of RabbitMQ, with these members and queues. */

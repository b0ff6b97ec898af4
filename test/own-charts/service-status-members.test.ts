import {writeFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import {type AddressInfo, createServer as createSocketServer} from 'node:net'
import {join} from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {runStatus} from './support/service-status.ts'

const charts = await useCharts()
const run = (chart: string, variables: Readonly<Record<string, string>>) =>
  runStatus(charts, chart, variables)

async function bus(nodes: readonly object[], queues: readonly object[]) {
  const server = createServer(({url = '', headers}, response) => {
    const login = Buffer.from(String(headers.authorization).split(' ')[1] ?? '', 'base64').toString()
    if (login !== 'admin:secret') return void response.writeHead(401).end()
    response.end(JSON.stringify(url.startsWith('/api/nodes?') ? nodes : queues))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const {port} = server.address() as AddressInfo
  return {HOST: '127.0.0.1', PORT: String(port), USERNAME: 'admin', PASSWORD: 'secret'}
}

const members = [0, 1, 2].map((number) => `rabbit@rabbitmq-server-${number}.peers.openstack.svc`)
const node = (name: string, more: object = {}) => ({name, running: true, partitions: [], ...more})
const queue = (name: string, more: object = {}) => ({
  ...{name, type: 'quorum', state: 'running'},
  ...{leader: members[0], members, online: members, ...more},
})

describe('the status of the message bus', () => {
  const MEMBERS = 'rabbit:a:5672,rabbit:b:5672,rabbit:c:5672'

  it('is healthy with all members and replicas', async () => {
    const few = queue('two', {members: members.slice(1), online: members.slice(1)})
    const server = await bus(
      members.map((name) => node(name)),
      [queue('one'), few],
    )

    const {next} = await run('rabbitmq', {...server, MEMBERS})

    const summary = 'members: 3, queues: 2, with fewer replicas than the cluster has members: 1'
    expect(await next()).toEqual({state: 'healthy', summary, findings: []})
  })

  it('names members and queues that do not work, queues by their problem', async () => {
    const nodes = [
      node(members[0]!, {mem_alarm: true}),
      node(members[1]!, {running: false, partitions: [members[0]]}),
    ]
    const offline = ['a', 'b', 'c', 'd'].map((name) => queue(name, {online: members.slice(1)}))
    const server = await bus(nodes, [...offline, queue('e', {leader: ''}), queue('f')])

    const {next} = await run('rabbitmq', {...server, MEMBERS})

    expect(await next()).toMatchObject({
      state: 'unhealthy',
      findings: [
        'rabbitmq-server-0: publishers wait, because of its memory',
        'rabbitmq-server-1: does not run',
        'rabbitmq-server-1: is separated from rabbitmq-server-0',
        'the cluster has 2 of 3 members',
        'queue a, b, c and 1 more: 2 of 3 replicas are online',
        'queue e: has no leader',
      ],
    })
  })

  it('names a queue whose replicas the API does not know, and judges the others', async () => {
    const hidden = queue('gone', {members: null, online: null, leader: null})
    const down = {...hidden, name: 'down', state: 'down'}
    const server = await bus(
      members.map((name) => node(name)),
      [hidden, down, queue('one')],
    )

    const {next} = await run('rabbitmq', {...server, MEMBERS})

    expect(await next()).toEqual({
      state: 'unhealthy',
      summary: 'members: 3, queues: 3, with unknown replicas: gone, down',
      findings: ['queue down: is down'],
    })
  })

  it('is unknown if it may not be asked', async () => {
    const server = await bus([], [])

    const {next} = await run('rabbitmq', {...server, PASSWORD: 'other', MEMBERS})

    expect(await next()).toMatchObject({state: 'unknown', findings: ['bus: HTTP Error 401: Unauthorized']})
  })
})

/** A row of OVN's database, as its protocol has it. */
type Row = Readonly<Record<string, unknown>>

/** A database of OVN, with these tables; `changed` is called if the number for its nodes is increased. */
async function ovsdb(
  tables: Readonly<Record<string, readonly Row[]>>,
  changed?: () => void,
): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const {params} = JSON.parse(String(data)) as {params: [string, Query]}
      const [, {op, table, where}] = params
      if (op === 'mutate') changed!()
      const matches = (row: Row) =>
        where.every(([column, , value]) => JSON.stringify(row[column]) === JSON.stringify(value))
      socket.write(JSON.stringify({id: 0, error: null, result: [{rows: tables[table]!.filter(matches)}]}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `tcp:127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Query {
  readonly op: string
  readonly table: string
  readonly where: readonly (readonly [string, string, unknown])[]
}

describe("the status of neutron's agents", () => {
  const node = (name: string, ids: Readonly<Record<string, string>>, answered = Date.now()) => ({
    ...{name, nb_cfg_timestamp: answered},
    external_ids: ['map', Object.entries(ids)],
  })
  const AGENT = {'neutron:ovn-metadata-sb-cfg': '7'}
  const reporter = async (ports: readonly Row[], nodes: readonly Row[], changed?: () => void) => {
    const tables = {
      Database: ['OVN_Northbound', 'OVN_Southbound'].map((name) => ({name, connected: true})),
      NB_Global: [],
      SB_Global: [{nb_cfg: 7}],
      Chassis: ['cmp1', 'ctl1'].map((name) => ({_uuid: ['uuid', name], name, hostname: name})),
      Chassis_Private: nodes,
      Port_Binding: ports,
    }
    const server = await ovsdb(tables, changed)
    const CHECKS = JSON.stringify({ovn_agents: {script: 'neutron-status.py', least: {}}})
    const env = {CHECKS, MECHANISM_DRIVERS: 'ovn', METADATA: 'true', AGENT_DOWN_TIME: ''}
    return run('neutron', {...env, OVN_NB_DB: server, OVN_SB_DB: server})
  }
  /** The report on two nodes, of which only the first has an agent. */
  const ask = async (ports: readonly Row[]) =>
    (await reporter(ports, [node('cmp1', AGENT), node('ctl1', {})])).next()

  it('asks the nodes if OVN’s own status does not', async () => {
    const nodes = [node('cmp1', AGENT, 0)]
    const {next} = await reporter([], nodes, () => {
      nodes[0] = node('cmp1', AGENT)
    })

    expect(await next()).toMatchObject({state: 'unknown'})
    expect(await next()).toMatchObject({state: 'healthy', summary: 'agents of OVN up: 1'})
  })

  it('needs none on a node that is only for routers', async () => {
    const router = {chassis: ['uuid', 'ctl1'], type: 'chassisredirect', logical_port: 'router'}
    const guest = {chassis: ['uuid', 'cmp1'], type: '', logical_port: 'guest'}

    expect(await ask([router, guest])).toEqual({
      state: 'healthy',
      summary: 'agents of OVN up: 1',
      findings: [],
    })
  })

  it('needs one on a node with guests', async () => {
    const guest = {chassis: ['uuid', 'ctl1'], type: '', logical_port: 'guest'}

    expect(await ask([guest])).toMatchObject({
      state: 'unhealthy',
      findings: ['neutron-ovn-metadata-agent on ctl1: down, it has never reported'],
    })
  })
})

describe('the status of Galera', () => {
  const MEMBERS = ['db-0', 'db-1', 'db-2'].map((name) => `mysql+pymysql:${name}.peers:3306`).join(',')
  /** A client that answers for these members, by the program that the script starts. */
  const client = async (answers: Readonly<Record<string, string>>) => {
    const directory = testDirectory()
    const lines = Object.entries(answers).map(([host, text]) => `--host=${host}.peers) printf '${text}' ;;`)
    const program = `#!/bin/bash\ncase $1 in\n${lines.join('\n')}\n*) exit 1 ;;\nesac\n`
    await writeFile(join(directory, 'mariadb'), program, {mode: 0o755})
    return {PATH: `${directory}:${process.env['PATH']}`, MEMBERS, DB_USER: 'root'}
  }
  const answer = (size: number, cluster = 'Primary', state = 'Synced') =>
    `wsrep_cluster_size\\t${size}\\nwsrep_cluster_status\\t${cluster}\\nwsrep_local_state_comment\\t${state}\\n`

  it('is healthy while all members are synced, or one is a donor', async () => {
    const programs = await client({
      'db-0': answer(3),
      'db-1': answer(3),
      'db-2': answer(3, 'Primary', 'Donor/Desynced'),
    })

    const {next} = await run('mariadb', programs)

    expect(await next()).toEqual({state: 'healthy', summary: 'members that answer: 3', findings: []})
  })

  it('names members that do not answer, or are not in the cluster', async () => {
    const programs = await client({'db-0': answer(2), 'db-1': answer(2, 'non-Primary', 'Initialized')})

    const {next} = await run('mariadb', programs)

    expect(await next()).toMatchObject({
      state: 'unhealthy',
      findings: [
        'db-0: sees 2 of 3 members',
        'db-1: is in a part of the cluster without a majority (non-Primary)',
        'db-1: is not synced (Initialized)',
        'db-1: sees 2 of 3 members',
        'db-2: does not answer',
      ],
    })
  })

  it('is unknown if no member answers', async () => {
    const {next} = await run('mariadb', await client({}))

    expect(await next()).toMatchObject({state: 'unknown', findings: ['members: no member answers']})
  })
})

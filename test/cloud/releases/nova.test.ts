import {afterAll, beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {imagesOf} from '../support/catalogue.ts'
import {inPod, query} from '../support/in-server.ts'
import {freeNode, makeCloud} from '../support/own-cloud.ts'
import {phase} from '../support/phase.ts'
import {answersDuring, openstack, openstackJson, startSteadyClient} from '../support/steady-client.ts'
import {
  expectInTurn,
  expectOnNode,
  failuresDuring,
  inBoth,
  NETWORK_IMAGES,
  NETWORKS,
  NEXT,
  SHARED_IMAGES,
} from '../support/upgrade.ts'

/** Virtual machines, with all that they need in the API and on the node. */
const withNova = (section: Values = {}) => ({
  mariadb: {},
  rabbitmq: {},
  memcached: {},
  keystone: {},
  glance: {},
  placement: {},
  ...NETWORKS,
  libvirt: {},
  nova: section,
})

const ASK = `TOKEN = token()
API = "http://nova-api:8774/v2.1/os-aggregates"

def ask():
    body = {"aggregate": {"name": "steady-%f" % time.time()}}
    aggregate = call("POST", API, body, X_Auth_Token=TOKEN)[1]["aggregate"]
    call("DELETE", "%s/%d" % (API, aggregate["id"]), X_Auth_Token=TOKEN)`

const SUBNET = ['--network', 'kept', '--subnet-range', '192.0.2.0/24']

let nova: {readonly namespace: string; readonly release: string}
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  await freeNode()
  const services = inBoth(...(await imagesOf(['nova'])))
  const others = ['keystone', 'glance-api', 'placement-api', 'nova-libvirt', 'neutron-metadata-agent']
  cloud = await makeCloud(...SHARED_IMAGES, ...NETWORK_IMAGES, 'neutron-server', ...others, ...services)
  nova = {namespace: cloud.namespace, release: 'nova'}
  await phase('deployed', () => cloud.run('deploy', withNova()))
  await startSteadyClient(cloud.namespace, ASK)
  const image = ['image', 'create', '--file', '/etc/hostname', '--disk-format', 'raw', 'empty']
  await openstack(cloud.namespace, ...image)
  await openstack(cloud.namespace, 'network', 'create', 'kept')
  await openstack(cloud.namespace, 'subnet', 'create', 'kept', ...SUBNET)
  await openstack(cloud.namespace, 'flavor', 'create', '--ram', '64', '--disk', '1', 'small')
  await openstack(cloud.namespace, 'flavor', 'create', '--ram', '9999999', '--disk', '1', 'huge')
})
afterAll(() => cloud.remove())

const sql = (statement: string) => query(cloud.namespace, 'mariadb-server-0', statement)

/** The last migration of the databases of the API, of cell0 and of cell1. */
const schema = () =>
  Promise.all(
    ['nova_api', 'nova_cell0', 'nova'].map((name) => sql(`SELECT version_num FROM ${name}.alembic_version`)),
  )

const cells = () =>
  sql('SELECT name, uuid, database_connection, transport_url FROM nova_api.cell_mappings ORDER BY id')

interface Server {
  readonly id: string
  readonly status: string
  readonly fault?: {readonly message: string}
}

/**
 * Asks for a server, and waits until it is as expected: of the flavor `huge` none runs, and it stays in cell0
 * with the scheduler's word on it.
 */
async function makeServer(name: string, flavor: 'small' | 'huge'): Promise<Server> {
  const args = ['--image', 'empty', '--flavor', flavor, '--network', 'kept']
  await openstack(cloud.namespace, 'server', 'create', ...args, name)
  const server = await waitFor(
    async () => {
      const now = await showServer(name)
      return ['ACTIVE', 'ERROR'].includes(now.status) && now
    },
    {until: `${name} runs, or cannot`, seconds: 300},
  )
  expect(server.status, server.fault?.message).toBe(flavor === 'huge' ? 'ERROR' : 'ACTIVE')
  return server
}

const showServer = (name: string) => openstackJson<Server>(cloud.namespace, 'server', 'show', name)

/** What a job of nova's said last. */
const said = (job: string) =>
  kubectl([
    ...['logs', '--namespace', cloud.namespace, '--tail=-1', '--selector'],
    `app.kubernetes.io/instance=nova,app.kubernetes.io/component=${job}`,
  ])

describe('the next release of nova', {timeout: 1_800_000}, () => {
  const next = withNova({images: {tag: NEXT}})

  it('is refused if a node runs a release that is too old for it, and changes nothing', async () => {
    const before = await schema()
    const columns = 'host, `binary`, topic, report_count, disabled, forced_down, deleted, version, uuid'
    const row = "'old', 'nova-compute', 'compute', 1, 0, 0, 0, 60, UUID()"
    await sql(`INSERT INTO nova.services (${columns}) VALUES (${row})`)
    onTestFinished(async () => {
      await sql("DELETE FROM nova.services WHERE host = 'old'")
    })

    const answers = await phase('refused', () =>
      answersDuring(cloud.namespace, async () => {
        const {exitCode, stderr} = await cloud.attempt('upgrade', next, 'nova')
        expect(exitCode, stderr).toBe(1)
        expect(stderr).toContain('upgrade-check')
      }),
    )

    expect(answers.filter((answer) => answer !== 'answered')).toEqual([])
    expect(await schema()).toEqual(before)
  })

  it('migrates in order before its pods start, without a failed call, and migrates rows afterwards', async () => {
    await openstack(cloud.namespace, 'flavor', 'create', '--ram', '64', '--disk', '1', '--id', 'kept', 'kept')
    await openstack(cloud.namespace, 'aggregate', 'create', '--zone', 'kept', 'kept')
    const server = await makeServer('kept', 'huge')
    const guest = await makeServer('guest', 'small')
    const [known, versions] = [await cells(), await sql('SELECT MIN(version) FROM nova.services')]

    const failures = await phase('upgraded', () =>
      failuresDuring(nova, () => cloud.run('upgrade', next, 'nova')),
    )

    expect(failures).toEqual([])
    const before = ['db-create', 'upgrade-check', 'api-db-sync', 'cells', 'db-sync']
    for (const component of ['api', 'conductor', 'metadata', 'scheduler'])
      await expectInTurn(nova, [...before, component])
    await expectInTurn(nova, ['api', 'online-data-migrations'])
    expect(await said('upgrade-check')).toMatch(/Check: Cells v2\s*\|\n\| Result: Success/)
    expect(await cells()).toEqual(known)
    const [api, ...inCells] = await schema()
    expect([api, ...inCells]).toEqual(await schemaOfImage())
    expect(Number((await sql('SELECT MIN(version) FROM nova.services'))[0])).toBeGreaterThan(
      Number(versions[0]),
    )
    await openstack(cloud.namespace, 'flavor', 'show', 'kept')
    await openstack(cloud.namespace, 'aggregate', 'show', 'kept')
    expect(await showServer('kept')).toMatchObject({id: server.id, status: 'ERROR'})
    expect(await showServer('guest')).toMatchObject({id: guest.id, status: 'ACTIVE'})
    await expectOnNode(nova)
  })

  it('keeps working: a new server passes through conductor, scheduler and placement', async () => {
    const {fault} = await makeServer('new', 'huge')

    expect(fault?.message).toContain('No valid host')
  })

  it('starts a server on the node, whose port it plugs as root, and deletes that of the old release', async () => {
    await makeServer('started', 'small')

    await openstack(cloud.namespace, 'server', 'delete', '--wait', 'guest', 'started')
  })
})

/** The last migrations that the new release has. */
async function schemaOfImage(): Promise<readonly (readonly string[])[]> {
  const versionOf = async (database: string) => {
    const text = await inPod(cloud.namespace, 'deployment/nova-conductor', 'nova-manage', database, 'version')
    return [text.trim().split('\n').at(-1)!]
  }
  const [api, cell] = [await versionOf('api_db'), await versionOf('db')]
  return [api, cell, cell]
}

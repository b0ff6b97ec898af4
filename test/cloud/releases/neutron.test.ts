import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inPod, query} from '../support/in-server.ts'
import {freeNode, makeCloud} from '../support/own-cloud.ts'
import {phase} from '../support/phase.ts'
import {openstack, openstackJson, startSteadyClient} from '../support/steady-client.ts'
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

const withNeutron = (section: Values = {}) => ({
  mariadb: {},
  rabbitmq: {},
  memcached: {},
  keystone: {},
  ...NETWORKS,
  neutron: {...NETWORKS.neutron, ...section},
})

const ASK = `TOKEN = token()
API = "http://neutron-server:9696/v2.0/networks"

def ask():
    network = call("POST", API, {"network": {"name": "steady"}}, X_Auth_Token=TOKEN)[1]["network"]
    call("DELETE", API + "/" + network["id"], X_Auth_Token=TOKEN)`

let neutron: {readonly namespace: string; readonly release: string}
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  await freeNode()
  const services = inBoth('neutron-server', 'neutron-metadata-agent')
  cloud = await makeCloud(...SHARED_IMAGES, 'keystone', ...NETWORK_IMAGES, ...services)
  neutron = {namespace: cloud.namespace, release: 'neutron'}
  await phase('deployed', () => cloud.run('deploy', withNeutron()))
  await startSteadyClient(cloud.namespace, ASK)
})
afterAll(() => cloud.remove())

interface Made {
  readonly id: string
}

interface Port extends Made {
  readonly network_id: string
  readonly fixed_ips: readonly {readonly ip_address: string}[]
}

const make = <T extends Made>(...args: readonly string[]) => openstackJson<T>(cloud.namespace, ...args)

/** What OVN knows of a port of neutron's. */
const inOVN = ({id}: Made) =>
  inPod(
    cloud.namespace,
    'ovn-nb-0',
    ...['ovn-nbctl', '--db=tcp:localhost:6641', '--bare', '--columns=addresses', 'find'],
    ...['Logical_Switch_Port', `name=${id}`],
  )

/**
 * Connects a port to the switch of the node as libvirt does, and waits until its network has a place for
 * metadata on the node.
 */
async function plug({id, network_id}: Port): Promise<void> {
  const name = `kk${id.slice(0, 11)}`
  await inPod(
    cloud.namespace,
    ...(['daemonset/openvswitch-vswitchd', 'ovs-vsctl', '--timeout=60', 'add-port', 'br-int', name] as const),
    ...['--', 'set', 'Interface', name, 'type=internal', `external_ids:iface-id=${id}`],
  )
  await waitFor(
    async () => {
      const agent = 'daemonset/neutron-ovn-metadata-agent'
      return (await inPod(cloud.namespace, agent, 'ip', 'netns', 'list')).includes(`ovnmeta-${network_id}`)
    },
    {until: `the agent has made a namespace for ${network_id}`, seconds: 120},
  )
}

/** The last migrations of neutron's database: of its expansions, and of its contractions. */
function schema(): Promise<readonly string[]> {
  return query(cloud.namespace, 'mariadb-server-0', 'SELECT version_num FROM neutron.alembic_version')
}

describe('the next release of neutron', {timeout: 1_800_000}, () => {
  it('expands the schema before its servers start, and contracts it afterwards, without a failed call', async () => {
    await make('network', 'create', 'kept')
    await make('subnet', 'create', '--network', 'kept', '--subnet-range', '192.0.2.0/24', 'kept')
    await make('router', 'create', 'kept')
    await openstack(cloud.namespace, 'router', 'add', 'subnet', 'kept', 'kept')
    const port = await make<Port>('port', 'create', '--network', 'kept', 'kept')
    await plug(port)
    const [known, before] = [await inOVN(port), await schema()]

    const failures = await phase('upgraded', () =>
      failuresDuring(neutron, () => cloud.run('upgrade', withNeutron({images: {tag: NEXT}}), 'neutron')),
    )

    expect(failures).toEqual([])
    await expectInTurn(neutron, ['db-create', 'db-expand', 'server', 'db-contract'])
    await expectInTurn(neutron, ['db-expand', 'rpc-server', 'db-contract'])
    const after = await schema()
    expect(before).toHaveLength(2)
    expect(after).toHaveLength(2)
    expect(after.filter((version) => !before.includes(version))).toHaveLength(1)
    expect(await make<Port>('port', 'show', 'kept')).toMatchObject({id: port.id, fixed_ips: port.fixed_ips})
    expect(await inOVN(port)).toBe(known)
    await expectOnNode(neutron)
  })

  it('keeps existing resources: it adds a port to an existing network, in the database and in OVN', async () => {
    const port = await make<Port>('port', 'create', '--network', 'kept', 'new')

    expect(await inOVN(port)).toContain(port.fixed_ips[0]!.ip_address)
  })

  it('creates, as root, the namespace for the metadata of a network on the node', async () => {
    await make('network', 'create', 'next')
    await make('subnet', 'create', '--network', 'next', '--subnet-range', '198.51.100.0/24', 'next')

    await plug(await make<Port>('port', 'create', '--network', 'next', 'plugged'))
  })
})

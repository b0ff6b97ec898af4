import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/release.ts'
import {inPod, query} from '../support/in-server.ts'
import {makeCloud} from '../support/own-cloud.ts'
import {phase} from '../support/phase.ts'
import {openstack, openstackJson, startSteadyClient} from '../support/steady-client.ts'
import {expectInTurn, failuresDuring, inBoth, NETWORKS, NEXT, SHARED_IMAGES} from '../support/upgrade.ts'

const withNeutron = (section: Values = {}) => ({
  kk: {releases: NETWORKS.releases},
  mariadb: {},
  rabbitmq: {},
  memcached: {},
  keystone: {},
  ...NETWORKS.sections,
  neutron: {...NETWORKS.sections.neutron, ...section},
})

const ASK = `TOKEN = token()
API = "http://neutron-server:9696/v2.0/networks"

def ask():
    network = call("POST", API, {"network": {"name": "steady"}}, X_Auth_Token=TOKEN)[1]["network"]
    call("DELETE", API + "/" + network["id"], X_Auth_Token=TOKEN)`

let neutron: {readonly namespace: string; readonly release: string}
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud(...SHARED_IMAGES, 'keystone', 'ovn-northd', ...inBoth('neutron-server'))
  neutron = {namespace: cloud.namespace, release: 'neutron'}
  await phase('deployed', () => cloud.run('deploy', withNeutron()))
  await startSteadyClient(cloud.namespace, ASK)
})
afterAll(() => cloud.remove())

interface Made {
  readonly id: string
}

interface Port extends Made {
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

/** The last migrations of neutron's database: of its expansions, and of its contractions. */
function schema(): Promise<readonly string[]> {
  return query(cloud.namespace, 'mariadb-server-0', 'SELECT version_num FROM neutron.alembic_version')
}

describe('the next release of neutron', {timeout: 1_800_000}, () => {
  it('expands the schema before its servers come, and contracts it after, without a failed call', async () => {
    await make('network', 'create', 'kept')
    await make('subnet', 'create', '--network', 'kept', '--subnet-range', '192.0.2.0/24', 'kept')
    await make('router', 'create', 'kept')
    await openstack(cloud.namespace, 'router', 'add', 'subnet', 'kept', 'kept')
    const port = await make<Port>('port', 'create', '--network', 'kept', 'kept')
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
  })

  it('goes on where the old one was: a port on the network that is there, in the database and in OVN', async () => {
    const port = await make<Port>('port', 'create', '--network', 'kept', 'new')

    expect(await inOVN(port)).toContain(port.fixed_ips[0]!.ip_address)
  })
})

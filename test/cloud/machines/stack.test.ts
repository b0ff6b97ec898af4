import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../../e2e/support/cluster.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {inClient} from '../support/client.ts'
import {cloudUp} from '../support/cloud.ts'
import {inMachine, machine, page} from '../support/machines.ts'
import {phase} from '../support/phase.ts'

const NAME = 'kk-stack'
/** What the stack is made of, by the words of the client; all of it in a project of its own. */
const KINDS = [
  'network',
  'subnet',
  'router',
  'port',
  'security group',
  'floating ip',
  'server',
  'volume',
] as const

let key: string
let address: string

beforeAll(async () => {
  await cloudUp()
  // What `npm run cloud` makes of them, unless it is there.
  if (!(await isThere('image show guest')) || !(await isThere('network show public'))) await machine()
  const directory = testDirectory()
  key = join(directory, 'key')
  await execa('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-f', key])
  await inClient(`
    openstack project show ${NAME} >/dev/null 2>&1 || openstack project create ${NAME} >/dev/null
    openstack role add --user admin --project ${NAME} admin`)
})
afterAll(() =>
  inClient(`
    export OS_PROJECT_NAME=${NAME}
    openstack stack show ${NAME} >/dev/null 2>&1 && openstack stack delete --yes --wait ${NAME}
    export OS_PROJECT_NAME=admin
    openstack security group delete $(openstack security group list --project ${NAME} --format value --column ID)
    openstack project delete ${NAME}`),
)

interface Wanted {
  /** Of the volume, in GiB. */
  readonly size: number
  /** The ports by TCP that are open. */
  readonly open: readonly number[]
}

/** A virtual machine with a volume on a network of its own, behind a router, with a floating address. */
function template({size, open}: Wanted, publicKey: string): object {
  const get = (resource: string) => ({get_resource: resource})
  const made = (type: string, properties: object, depends_on: readonly string[] = []) => ({
    type,
    properties,
    depends_on,
  })
  const rules = open.map((port) => ({protocol: 'tcp', port_range_min: port, port_range_max: port}))
  return {
    heat_template_version: '2021-04-16',
    resources: {
      network: made('OS::Neutron::Net', {name: NAME}),
      subnet: made('OS::Neutron::Subnet', {network: get('network'), cidr: '192.168.77.0/24'}),
      router: made('OS::Neutron::Router', {external_gateway_info: {network: 'public'}}),
      inside: made('OS::Neutron::RouterInterface', {router: get('router'), subnet: get('subnet')}),
      group: made('OS::Neutron::SecurityGroup', {rules: [{protocol: 'icmp'}, ...rules]}),
      port: made('OS::Neutron::Port', {
        network: get('network'),
        fixed_ips: [{subnet: get('subnet')}],
        security_groups: [get('group')],
      }),
      address: made('OS::Neutron::FloatingIP', {floating_network: 'public', port_id: get('port')}, [
        'inside',
      ]),
      key: made('OS::Nova::KeyPair', {name: NAME, public_key: publicKey}),
      flavor: made('OS::Nova::Flavor', {name: NAME, ram: 128, vcpus: 1, disk: 1}),
      server: made('OS::Nova::Server', {
        name: NAME,
        image: 'guest',
        flavor: get('flavor'),
        key_name: get('key'),
        networks: [{port: get('port')}],
        user_data_format: 'RAW',
      }),
      volume: made('OS::Cinder::Volume', {size}),
      attachment: made('OS::Cinder::VolumeAttachment', {
        instance_uuid: get('server'),
        volume_id: get('volume'),
      }),
    },
    outputs: {address: {value: {get_attr: ['address', 'floating_ip_address']}}},
  }
}

/** Has Heat make what is wanted, and waits for it; resolves with the floating address. */
async function heat(verb: 'create' | 'update', wanted: Wanted): Promise<string> {
  const publicKey = (await readFile(`${key}.pub`, 'utf8')).trim()
  const said = await phase(`stack: ${verb}`, () =>
    inClient(`
      export OS_PROJECT_NAME=${NAME}
      echo '${JSON.stringify(template(wanted, publicKey))}' >/tmp/stack.json
      openstack stack ${verb} --wait --template /tmp/stack.json ${NAME} >/dev/null
      openstack stack output show ${NAME} address --format value --column output_value`),
  )
  return said.trim()
}

function isThere(question: string): Promise<boolean> {
  return inClient(`openstack ${question}`).then(
    () => true,
    () => false,
  )
}

/** What the client says of a resource of the stack, one line for each of these columns. */
async function shown(kind: 'server' | 'volume', columns: string): Promise<readonly string[]> {
  const wanted = columns.split(' ').map((column) => `--column ${column}`)
  const said = await inClient(`
    export OS_PROJECT_NAME=${NAME}
    id=$(openstack stack resource show ${NAME} ${kind} --format value --column physical_resource_id)
    openstack ${kind} show $id --format json ${wanted.join(' ')}`)
  const values = JSON.parse(said) as Readonly<Record<string, unknown>>
  return columns.split(' ').map((column) => String(values[column]))
}

/** The ids of all that the project has, but for the security group that each project has. */
async function had(): Promise<readonly string[]> {
  const lists = KINDS.map((kind) => {
    const list = `openstack ${kind} list --project ${NAME} ${EVERYWHERE[kind] ?? ''} --format value`
    if (kind !== 'security group') return `${list} --column ID`
    return `${list} --column ID --column Name | sed '/ default$/d'`
  })
  const said = await inClient(lists.join('\n'))
  return said.split('\n').filter((line) => line !== '')
}
/** The administrator sees those of other projects only so. */
const EVERYWHERE: Partial<Record<(typeof KINDS)[number], string>> = {
  server: '--all-projects',
  volume: '--all-projects',
}

describe('heat: a stack of network, router, virtual machine, floating IP and volume', () => {
  it('is created, and its machine responds at its floating IP', async () => {
    address = await heat('create', {size: 1, open: [80]})

    await waitFor(async () => (await page(`http://${address}/`)) === 200, {
      until: 'the machine answers',
      seconds: 300,
    })
    expect(await shown('volume', 'size status')).toEqual(['1', 'in-use'])
  })

  it('is updated: its volume grows, SSH is allowed, and the machine stays the same', async () => {
    const before = await shown('server', 'id OS-SRV-USG:launched_at')

    expect(await heat('update', {size: 2, open: [22, 80]})).toBe(address)

    expect(await shown('server', 'id OS-SRV-USG:launched_at')).toEqual(before)
    expect(await shown('volume', 'size status')).toEqual(['2', 'in-use'])
    const said = () =>
      inMachine({address, key}, 'hostname; lsblk --nodeps --noheadings --output SIZE /dev/vdb')
    await waitFor(async () => /^kk-stack\n\s*2G$/.test(await said()), {
      until: 'the machine sees the larger volume',
      seconds: 300,
    })
  })

  it('is deleted without leftovers', async () => {
    expect((await had()).length).toBeGreaterThanOrEqual(KINDS.length)

    await phase('stack: delete', () =>
      inClient(`OS_PROJECT_NAME=${NAME} openstack stack delete --yes --wait ${NAME}`),
    )

    expect(await had()).toEqual([])
    const others = await inClient(`
      openstack keypair list --format value --column Name
      openstack flavor list --format value --column Name
      OS_PROJECT_NAME=${NAME} openstack stack list --format value --column "Stack Name"`)
    expect(others.split('\n')).not.toContain(NAME)
  })
})

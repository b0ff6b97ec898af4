import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {containers, find, ofKind, pods, variable} from './support/objects.ts'

const charts = await useCharts()

const NB = [0, 1, 2].map((i) => `tcp:ovn-nb-${i}.ovn-nb-peers.openstack.svc.cluster.local:6641`)
const SB = [0, 1, 2].map((i) => `tcp:ovn-sb-${i}.ovn-sb-peers.openstack.svc.cluster.local:6642`)

describe('the databases of OVN', () => {
  it('start in parallel, with constant names that resolve before they are ready', async () => {
    const objects = await charts.render('ovn', {values: {pod: {replicas: {nb: 3, sb: 3}}}})

    const set = find(objects, 'StatefulSet', 'ovn-nb')
    expect(set.spec).toMatchObject({replicas: 3, podManagementPolicy: 'Parallel'})
    const [member] = set.spec!.template!.spec.containers
    expect(variable(member!, 'ADDRESS')).toBe('tcp:$(POD_NAME).ovn-nb-peers.openstack.svc.cluster.local')
    expect(find(objects, 'Service', 'ovn-nb-peers').spec).toMatchObject({publishNotReadyAddresses: true})
  })

  it('are all listed for their clients in the release', async () => {
    const objects = await charts.render('ovn', {values: {pod: {replicas: {nb: 3, sb: 3}}}})

    const northd = containers({spec: find(objects, 'Deployment', 'ovn-northd').spec!.template!.spec})
    const main = northd.find(({name}) => name === 'northd')!
    expect(variable(main, 'OVN_NB_DB')).toBe(NB.join(','))
    expect(variable(main, 'OVN_SB_DB')).toBe(SB.join(','))
  })

  it('are all listed for neutron if global has the number of members', async () => {
    const members = (name: string) => ({statefulset: {name, replicas: 3}})
    const endpoints = {ovn_ovsdb_nb: members('ovn-nb'), ovn_ovsdb_sb: members('ovn-sb')}

    const objects = await charts.render('neutron', {global: mergeValues(GIVEN, {endpoints})})

    const files = find(objects, 'ConfigMap', 'neutron-etc').data!
    expect(files['ml2_conf.ini']).toContain(`ovn_nb_connection = ${NB.join(',')}\n`)
    expect(files['neutron_ovn_metadata_agent.ini']).toContain(`ovn_sb_connection = ${SB.join(',')}\n`)
  })
})

it('neutron has credentials to report addresses of a segment to Placement', async () => {
  const files = find(await charts.render('neutron'), 'ConfigMap', 'neutron-etc').data!

  const [, section] = /\[placement\]\n((?:.+\n)+)/.exec(files['neutron.conf']!)!
  expect(section).toContain('auth_type = password\n')
  expect(section).toContain('username = neutron\n')
})

describe('the switch of a node', () => {
  /** What the script of vswitchd runs, the switch at last, on a kernel that has Open vSwitch or has not. */
  async function runs(datapath: string, kernel: boolean): Promise<readonly string[]> {
    const script = find(await charts.render('openvswitch'), 'ConfigMap', 'openvswitch-bin').data![
      'openvswitch-vswitchd.py'
    ]
    const program = `import builtins, io, json, os, subprocess
def run(words, **_):
    print(*words)
    return subprocess.CompletedProcess(words, ${kernel ? 0 : 1} if words[0] == "genl" else 0)
def become(_, words):
    print(*words)
    raise SystemExit
subprocess.run, os.fork, os.execvp = run, lambda: 1, become
builtins.open = lambda *_: io.StringIO('{"datapath": "${datapath}", "other_config": {}}')
${script}`
    const {stdout} = await execa('python3', ['-c', program], {env: {NODE_NAME: 'one'}})
    return stdout.split('\n')
  }

  it.each([
    ['auto', true, 'system'],
    ['auto', false, 'netdev'],
    ['netdev', true, 'netdev'],
    ['system', false, 'system'],
  ])(
    'with the datapath %s, kernel module %s, has the datapath type %s',
    async (datapath, kernel, expected) => {
      const lines = await runs(datapath, kernel)

      const settings = lines.findIndex((line) => line.includes(` set Open_vSwitch . `))
      expect(lines[settings]).toContain(`external_ids:ovn-bridge-datapath-type=${expected}`)
      expect(lines[settings]!.includes('other_config:userspace-tso-enable="true"')).toBe(
        expected === 'netdev',
      )
      // It reads that once, when it starts.
      expect(lines.findIndex((line) => line.startsWith('ovs-vswitchd '))).toBeGreaterThan(settings)
    },
  )
})

it('a node is connected to the external networks whose labels it has, and to those for every node', async () => {
  const script = find(await charts.render('ovn'), 'ConfigMap', 'ovn-bin').data!['ovn-chassis.py']!
  const networks = {
    everywhere: {bridge: 'br-a'},
    edge: {bridge: 'br-b', nodes: {'openstack-network-node': 'enabled'}},
    both: {bridge: 'br-c', nodes: {'openstack-network-node': 'enabled', zone: 'b'}},
  }
  const labels = {'openstack-network-node': 'enabled', zone: 'a'}
  const program = `${script.split('\nwith open(')[0]}
def request(*_):
    return {"metadata": {"labels": json.loads('${JSON.stringify(labels)}')}}
print(*reached(json.loads('${JSON.stringify(networks)}')))`

  const env = {NODE_NAME: 'one', POD_NAMESPACE: 'openstack'}
  const {stdout} = await execa('python3', ['-c', program], {env})

  expect(stdout).toBe('everywhere edge')
})

describe('tunnels of a switch in userspace', () => {
  /** What the script does for tunnels on a node whose interfaces have these addresses. */
  async function tunnels(chosen: string, interfaces: Readonly<Record<string, string>>, nodes: number) {
    const script = find(await charts.render('ovn'), 'ConfigMap', 'ovn-bin').data!['ovn-chassis.py']!
    const program = `${script.split('\nwith open(')[0]}
interfaces = json.loads('${JSON.stringify(interfaces)}')
def request(*_):
    return {"status": {"desiredNumberScheduled": ${nodes}}}
def vsctl(*arguments):
    print(*arguments, file=sys.stderr)
    return "br-ex" if arguments == ("list-br",) else ""
def link(kind, verb, *rest):
    print(kind, verb, *rest, file=sys.stderr)
    if kind == "address":
        interfaces[rest[-1]] = rest[0].split("/")[0] if verb == "replace" else ""
def addresses(interface):
    found = interfaces.get(interface)
    return [{"local": found, "prefixlen": 24}] if found else []
import sys
print(tunnel_address("${chosen}", "netdev"))`
    const env = {
      NODE_NAME: 'one',
      POD_NAMESPACE: 'openstack',
      POD_IP: '10.0.0.1',
      DAEMONSET: 'ovn-controller',
    }
    return execa('python3', ['-c', program], {env, reject: false})
  }

  it('leave by a bridge of the switch, which takes over the address of the interface', async () => {
    const {stdout, stderr} = await tunnels('eth1', {eth1: '10.1.0.5'}, 2)

    expect(stdout).toBe('10.1.0.5')
    expect(stderr).toContain('--may-exist add-port br-tun eth1')
    expect(stderr).toContain('address delete 10.1.0.5/24 dev eth1\naddress replace 10.1.0.5/24 dev br-tun')
  })

  it('keep that address when the pod starts again', async () => {
    const {stdout, stderr} = await tunnels('eth1', {'br-tun': '10.1.0.5'}, 2)

    expect(stdout).toBe('10.1.0.5')
    expect(stderr).not.toContain('address')
  })

  it('need an interface if there are several nodes, unless the address of the node is on a bridge', async () => {
    const alone = await tunnels('', {}, 1)
    const bridged = await tunnels('', {'br-ex': '10.0.0.1'}, 2)
    const refused = await tunnels('', {}, 2)

    expect([alone.stdout, bridged.stdout]).toEqual(['10.0.0.1', '10.0.0.1'])
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('state an interface for tunnels alone in conf.chassis.tunnel_interface')
  })
})

describe('the privileges of pods on their node', () => {
  it('are limited to the required ones', async () => {
    const privileges = await Promise.all(
      ['openvswitch', 'ovn', 'neutron'].map(async (chart) =>
        pods(ofKind(await charts.render(chart), 'DaemonSet')).map(({owner, spec}) => {
          const {privileged = false, capabilities} = spec.containers[0]!.securityContext as {
            privileged?: boolean
            capabilities?: {add: string[]}
          }
          const network = (capabilities?.add ?? []).filter((name) => name.startsWith('NET_'))
          return [owner.replace('DaemonSet ', ''), spec.hostNetwork === true, privileged || network]
        }),
      ),
    )

    expect(privileges.flat()).toEqual([
      ['openvswitch-db', false, ['NET_BIND_SERVICE']],
      ['openvswitch-vswitchd', true, ['NET_ADMIN', 'NET_RAW']],
      ['ovn-controller', true, ['NET_ADMIN']],
      ['neutron-ovn-metadata-agent', true, true],
    ])
  })

  it('include the read access to nodes only for the OVN controller', async () => {
    const objects = await charts.render('ovn')

    expect(ofKind(objects, 'ClusterRole')).toMatchObject([
      {metadata: {name: 'openstack-ovn-controller'}, rules: [{resources: ['nodes'], verbs: ['get']}]},
    ])
    expect(find(objects, 'ClusterRoleBinding', 'openstack-ovn-controller')).toMatchObject({
      subjects: [{kind: 'ServiceAccount', name: 'ovn-controller', namespace: 'openstack'}],
    })
    expect(find(objects, 'ClusterRole', 'openstack-ovn-controller').metadata.namespace).toBeUndefined()
  })
})

import {connect} from 'node:net'
import {text} from 'node:stream/consumers'
import {afterAll, beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {waitFor} from '../../e2e/support/cluster.ts'
import {answers, inClient, openstack} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {inPod} from '../support/in-server.ts'
import {type Guest, lostPings, onMachine, plug, serve, unplug} from '../support/network-guests.ts'
import {killPods, podIds, rolledOut} from '../support/own-cloud.ts'

const FLOATING = '172.24.4.240'
const stop = new AbortController()
let guests: readonly Guest[] = []

beforeAll(async () => {
  await cloudUp()
  await answers('openstack network agent list')
  await inClient(`
    openstack network show public || openstack network create public --external --provider-network-type flat --provider-physical-network public
    openstack subnet show public || openstack subnet create public --network public --subnet-range 172.24.4.0/24 --no-dhcp --gateway 172.24.4.1 --allocation-pool start=172.24.4.10,end=172.24.4.250
    openstack network create test
    openstack subnet create test --network test --subnet-range 10.77.0.0/24
    openstack router create test --external-gateway public
    openstack router add subnet test test
    openstack security group create test
    openstack security group rule create test --protocol icmp
    openstack security group rule create test --protocol tcp --dst-port 9000
    for port in one two; do openstack port create $port --network test --security-group test --host "$(openstack network agent list --agent-type ovn-controller --format value --column Host)"; done
    openstack floating ip create public --port one --floating-ip-address ${FLOATING}
  `)
  guests = [await plug('one', '10.77.0.1'), await plug('two', '10.77.0.1')]
  for (const guest of guests) serve(guest, 9000, 'open', stop.signal)
  serve(guests[0]!, 9001, 'also here', stop.signal)
  await waitFor(async () => (await said(FLOATING, 9000)) !== undefined, {
    until: 'the floating address answers',
    seconds: 120,
  })
})
afterAll(async () => {
  stop.abort()
  for (const guest of guests) await unplug(guest)
  await inClient(`
    openstack floating ip delete ${FLOATING}
    openstack router remove subnet test test
    openstack router delete test
    openstack port delete one two
    openstack network delete test
    openstack security group delete test
  `)
})

/** What a TCP port says until it hangs up; undefined where nobody answers within three seconds. */
async function said(address: string, port: number): Promise<string | undefined> {
  const socket = connect({host: address, port, timeout: 3000})
  socket.once('timeout', () => socket.destroy(new Error('no answer')))
  return text(socket).catch(() => undefined)
}

describe('neutron, ovn, openvswitch: two guests on a network of a project', () => {
  it('reach each other, and the host reaches one by its floating IP, with ping and TCP', async () => {
    const [one, two] = guests as [Guest, Guest]

    const page = `import socket; print(socket.create_connection(("${one.address}", 9000), 5).recv(4).decode())`
    expect(await onMachine('ip', 'netns', 'exec', two.name, 'python3', '-c', page)).toBe('open')
    expect(await lostPings(FLOATING, () => said(FLOATING, 9000))).toBe(0)
    expect(await said(FLOATING, 9000)).toBe('open'.repeat(100_000))
  })

  it('respond on a port as long as their security group has a rule for it', async () => {
    expect(await said(FLOATING, 9001)).toBeUndefined()

    const {id} = await openstack<{readonly id: string}>(
      'security group rule create test --protocol tcp --dst-port 9001',
    )
    await waitFor(async () => (await said(FLOATING, 9001)) !== undefined, {until: 'the port is open'})
    await inClient(`openstack security group rule delete ${id}`)

    await waitFor(async () => (await said(FLOATING, 9001)) === undefined, {until: 'the port is shut'})
  })

  it('are reachable through a port forwarding of a floating IP', async () => {
    const [, two] = guests as [Guest, Guest]
    await inClient('openstack floating ip create public --floating-ip-address 172.24.4.241')
    onTestFinished(async () => {
      await inClient(`
        for id in $(openstack floating ip port forwarding list 172.24.4.241 --format value --column ID)
        do openstack floating ip port forwarding delete 172.24.4.241 $id; done
        openstack floating ip delete 172.24.4.241`)
    })
    await inClient(
      `openstack floating ip port forwarding create 172.24.4.241 --internal-ip-address ${two.address} --port two --internal-protocol-port 9000 --external-protocol-port 80 --protocol tcp`,
    )

    await waitFor(async () => (await said('172.24.4.241', 80))?.startsWith('open'), {
      until: 'it is forwarded',
    })
  })
})

it('have the VLAN of a trunk port in OVN', async () => {
  onTestFinished(async () => {
    await inClient(`
      openstack network trunk delete test
      openstack port delete behind
      openstack network delete trunked`)
  })
  await inClient(`
    openstack network create trunked
    openstack subnet create trunked --network trunked --subnet-range 10.78.0.0/24
    openstack port create behind --network trunked
    openstack network trunk create test --parent-port one --subport port=behind,segmentation-type=vlan,segmentation-id=42`)
  const [parent, behind] = [
    await openstack<{readonly id: string}>('port show one'),
    await openstack<{readonly id: string}>('port show behind'),
  ]

  const columns = ['--bare', '--columns=parent_name,tag', 'find', 'Logical_Switch_Port', `name=${behind.id}`]
  const inOVN = await inPod(NAMESPACE, 'ovn-nb-0', 'ovn-nbctl', '--db=tcp:localhost:6641', ...columns)

  expect(inOVN.split('\n')).toEqual([parent.id, '42'])
})

describe('a temporary outage', {timeout: 600_000}, () => {
  const kill = async (chart: string, components: string) => {
    const labels = `app.kubernetes.io/name=${chart},app.kubernetes.io/component in (${components})`
    await killPods(NAMESPACE, ...Object.keys(await podIds(NAMESPACE, labels)))
  }

  it.each([
    [
      "all of OVN's databases and northd",
      'ovn',
      'nb,sb,northd',
      ['statefulset/ovn-nb', 'statefulset/ovn-sb', 'deployment/ovn-northd'],
    ],
    ["OVN's controller", 'ovn', 'controller', ['daemonset/ovn-controller']],
    ['the database of the switch', 'openvswitch', 'db', ['daemonset/openvswitch-db']],
  ])('does not interrupt traffic: %s', async (_what, chart, components, workloads) => {
    const lost = await lostPings(FLOATING, async () => {
      await kill(chart, components)
      for (const workload of workloads) await rolledOut(NAMESPACE, workload)
    })

    expect(lost).toBe(0)
    expect(await said(FLOATING, 9000)).toBe('open'.repeat(100_000))
  })

  it('interrupts guests until recovery: the switch itself, which keeps every port', async () => {
    await kill('openvswitch', 'vswitchd')
    await rolledOut(NAMESPACE, 'daemonset/openvswitch-vswitchd')

    await waitFor(async () => (await said(FLOATING, 9000)) !== undefined, {
      until: 'the floating address answers again',
      seconds: 60,
    })
    expect(await said(FLOATING, 9000)).toBe('open'.repeat(100_000))
  })
})

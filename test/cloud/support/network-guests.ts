import {execa} from 'execa'
import {kubectl} from '../../aio/support/node.ts'
import {inClient} from './client.ts'
import {NAMESPACE} from './cloud.ts'

/** A network namespace of this machine that is connected to a port of neutron's, as the card of a virtual machine is. */
export interface Guest {
  readonly name: string
  readonly address: string
}

/** Runs a program on this machine; rejects when it fails. */
export async function onMachine(command: string, ...args: readonly string[]): Promise<string> {
  return (await execa(command, args, {stdin: 'ignore'})).stdout
}

/** What the client of OpenStack says, as JSON, as the administrator. */
export async function openstack<T>(command: string): Promise<T> {
  return JSON.parse(await inClient(`openstack ${command} --format json`)) as T
}

/** Runs ovs-vsctl of the switch of the node. */
function vsctl(...args: readonly string[]): Promise<string> {
  const pod = ['--namespace', NAMESPACE, 'daemonset/openvswitch-vswitchd', '--container', 'vswitchd']
  return kubectl(['exec', ...pod, '--', 'ovs-vsctl', '--timeout=60', ...args])
}

/** Connects a new network namespace to a port: a pair of interfaces, with one end in the switch. */
export async function plug(port: string, gateway: string): Promise<Guest> {
  const {id, mac_address, fixed_ips} = await openstack<{
    readonly id: string
    readonly mac_address: string
    readonly fixed_ips: readonly {readonly ip_address: string}[]
  }>(`port show ${port}`)
  const [{ip_address}] = fixed_ips as [{readonly ip_address: string}]
  const [name, tap] = [`kk-${port}`, `kk${id.slice(0, 11)}`]
  await onMachine('ip', 'netns', 'add', name)
  await onMachine('ip', 'link', 'add', tap, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  await onMachine('ip', 'link', 'set', tap, 'up')
  const inside = [
    ['link', 'set', 'lo', 'up'],
    ['link', 'set', 'eth0', 'mtu', '1442', 'address', mac_address, 'up'],
    ['address', 'add', `${ip_address}/24`, 'dev', 'eth0'],
    ['route', 'add', 'default', 'via', gateway],
  ]
  for (const args of inside) await onMachine('ip', '--netns', name, ...args)
  const ids = [`external_ids:iface-id=${id}`, `external_ids:attached-mac="${mac_address}"`]
  await vsctl('--may-exist', 'add-port', 'br-int', tap, '--', 'set', 'Interface', tap, ...ids)
  return {name, address: ip_address}
}

/** Takes a namespace and its end in the switch away. */
export async function unplug({name}: Guest): Promise<void> {
  const {id} = await openstack<{readonly id: string}>(`port show ${name.replace('kk-', '')}`)
  await vsctl('--if-exists', 'del-port', `kk${id.slice(0, 11)}`)
  await onMachine('ip', 'netns', 'delete', name)
}

/** Serves a text by TCP in a namespace until it is aborted. */
export function serve({name}: Guest, port: number, text: string, cancelSignal: AbortSignal): void {
  const server = `
import socketserver, sys
class Say(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(sys.argv[2].encode() * 100000)
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("0.0.0.0", int(sys.argv[1])), Say).serve_forever()`
  const command = ['netns', 'exec', name, 'python3', '-c', server, String(port), text]
  void execa('ip', command, {cancelSignal, reject: false, stdio: 'ignore'})
}

/** How many of the pings sent while something happens were lost, five a second. */
export async function lostPings(address: string, during: () => Promise<unknown>): Promise<number> {
  const pinging = execa('ping', ['-i', '0.2', '-W', '1', address], {reject: false})
  await during()
  pinging.kill('SIGINT')
  const [, sent = '0', received = '0'] = /(\d+) packets transmitted, (\d+) received/.exec(
    String((await pinging).stdout),
  )!
  // The last one may still be under way.
  return Math.max(0, Number(sent) - Number(received) - 1)
}

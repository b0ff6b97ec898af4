import {once} from 'node:events'
import {execa} from 'execa'
import {kubectl} from '../../aio/support/node.ts'
import {openstack} from './client.ts'
import {NAMESPACE} from './cloud.ts'

/**
 * A network namespace of this machine that is connected to a port of neutron's, as the card of a virtual
 * machine is.
 */
export interface Guest {
  readonly name: string
  readonly address: string
}

/** Runs a program on this machine; rejects when it fails. */
export async function onMachine(command: string, ...args: readonly string[]): Promise<string> {
  return (await execa(command, args, {stdin: 'ignore'})).stdout
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

/**
 * Sends pings five times a second until it is told to stop, and prints how many it sent and how many were
 * lost.
 */
const PING = `
import os, select, signal, socket, struct, sys, time
def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF
def request(number):
    head, body = struct.pack("!BBHHH", 8, 0, 0, own, number), b"ping" * 8
    return struct.pack("!BBHHH", 8, 0, checksum(head + body), own, number) + body
own, sent, answered, ends = os.getpid() & 0xFFFF, 0, set(), float("inf")
def stop(*_):
    global ends
    ends = time.monotonic() + 1
signal.signal(signal.SIGTERM, stop)
wire = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
print("begins", flush=True)
following = time.monotonic()
while time.monotonic() < ends:
    if time.monotonic() >= following and ends == float("inf"):
        wire.sendto(request(sent), (sys.argv[1], 0))
        sent, following = sent + 1, following + 0.2
    if select.select([wire], [], [], 0.02)[0]:
        kind, _, _, name, number = struct.unpack("!BBHHH", wire.recv(2048)[20:28])
        if (kind, name) == (0, own):
            answered.add(number)
print(sent - len(answered))`

/** How many of the pings that this machine sent while something happened were lost, five a second. */
export async function lostPings(address: string, during: () => Promise<unknown>): Promise<number> {
  const pinging = execa('python3', ['-c', PING, address], {stdin: 'ignore'})
  await Promise.race([once(pinging.stdout, 'data'), pinging])
  await during()
  pinging.kill('SIGTERM')
  return Number((await pinging).stdout.split('\n').at(-1))
}

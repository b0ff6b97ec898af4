import {addressIn, prefix} from '../host/bridge.ts'
import {command} from '../host/command.ts'
import {readPid} from '../local-node.ts'
import {BRIDGE, GATEWAY, NODE_NETWORKS, PODS} from '../network.ts'
import type {IsolatedNode} from './isolated-node.ts'

/** The interfaces of a node: the first is a port of its bridge of pods, which has the node's address. */
const CABLES = [{bridge: BRIDGE, interface: 'eth0'}, ...NODE_NETWORKS]

// The arguments are the bridge, its MAC address, its address and the gateway. Without a default route the
// kernel would refuse the address of a Service before kube-proxy's rules map it. Without
// bridge-nf-call-iptables the answers of Services from pods of other nodes would pass the rules by.
const CONFIGURE = `set -e
bridge=$1 mac=$2 address=$3 gateway=$4
ip link add name "$bridge" address "$mac" type bridge
ip address add "$address" dev "$bridge"
ip link set eth0 master "$bridge" up
ip link set "$bridge" up
ip route add default via "$gateway"
for each in net/ipv4/ip_forward=1 net/bridge/bridge-nf-call-iptables=1 net/ipv4/conf/all/send_redirects=0 "net/ipv4/conf/$bridge/send_redirects=0"; do
  echo "\${each#*=}" >"/proc/sys/\${each%=*}"
done`

/** Connects a node whose first program runs to the machine's bridges. */
export async function connectNode(node: IsolatedNode): Promise<void> {
  for (const {bridge, interface: name} of CABLES) {
    const end = cable(node, name)
    const peer = ['peer', 'name', name, 'netns', String(readPid(node.init))]
    await command(['ip', 'link', 'add', end, 'type', 'veth', ...peer])
    await command(['ip', 'link', 'set', end, 'master', bridge, 'up'])
  }
  const {number, address} = node
  // A bridge would otherwise have the lowest MAC address of its ports, which changes.
  const mac = `02:d5:00:00:00:0${number}`
  const argv = ['sh', '-c', CONFIGURE, 'configure', BRIDGE, mac, `${address}/${prefix(PODS)}`, GATEWAY]
  await command(node.program(argv))
  for (const {interface: name, network, hasNodes} of NODE_NETWORKS) {
    const own = `${addressIn(network, 10 + number)}/${prefix(network)}`
    if (hasNodes) await command(node.program(['ip', 'address', 'add', own, 'dev', name]))
    await command(node.program(['ip', 'link', 'set', name, 'up']))
  }
}

/** Plugs all cables of a node, or unplugs them. */
export async function switchCables(node: IsolatedNode, state: 'up' | 'down'): Promise<void> {
  for (const {interface: name} of CABLES) await command(['ip', 'link', 'set', cable(node, name), state])
}

/** The machine's end of a cable. */
function cable({number}: IsolatedNode, name: string): string {
  return `kk-aio-${number}-${name}`
}

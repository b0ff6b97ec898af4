import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {SeenPod} from '../../kubernetes/exec/exec.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import {podsOf} from './kubernetes-node.ts'
import {runInPod} from './run-in-pod.ts'
import {chassisOf, gatewayPorts, type OvnPorts, readSouthbound} from './southbound.ts'

/** The switch of a node, and the release of OVN that it belongs to. */
interface NodeSwitch {
  readonly pod: SeenPod
  readonly ports: OvnPorts
}

/** Returns the pod that controls the switch of a node; undefined if OVN runs nothing there. */
export async function findSwitch(
  ports: OvnPorts,
  environment: Environment,
  node: string,
): Promise<NodeSwitch | undefined> {
  const own = (await podsOf(ports.exec, environment)).filter(
    (each) => each.node === node && each.chart === 'ovn' && each.component === 'controller',
  )
  const pod = own.find(({isRunning}) => isRunning) ?? own[0]
  return pod && {pod, ports}
}

/** Neutron moves the gateway of a router some seconds after it has lost its chassis. */
const MOVE_TIMEOUT_MS = 120_000

/**
 * Takes a node from the chassis that may be gateways, and waits until neutron has moved the gateways of
 * routers. Returns the ports of gateways that stay, because no other chassis can have them.
 */
export async function moveGateways(found: NodeSwitch): Promise<readonly string[]> {
  await setOption(found, '')
  let left: readonly string[] = []
  await pollCluster(
    async () => {
      left = await gatewaysOn(found)
      return left.length === 0
    },
    {interval: 3_000, deadline: Date.now() + MOVE_TIMEOUT_MS},
  )
  return left
}

/** Lets a node be a gateway again if networks outside are connected to it, as its pod does at its start. */
export async function returnGateways(found: NodeSwitch): Promise<void> {
  const mappings = await vsctl(found, [
    '--if-exists',
    'get',
    'Open_vSwitch',
    '.',
    'external_ids:ovn-bridge-mappings',
  ])
  if (mappings.replaceAll('"', '').trim() !== '') await setOption(found, 'enable-chassis-as-gw')
}

function setOption(found: NodeSwitch, option: string): Promise<string> {
  return vsctl(found, ['set', 'Open_vSwitch', '.', `external_ids:ovn-cms-options="${option}"`])
}

function vsctl({pod, ports}: NodeSwitch, words: readonly string[]): Promise<string> {
  return runInPod(ports.exec, pod, ['ovs-vsctl', '--timeout=20', ...words], {title: 'ovs-vsctl'})
}

/** Returns the ports of routers whose gateway is this node. */
async function gatewaysOn({pod, ports}: NodeSwitch): Promise<readonly string[]> {
  const southbound = await readSouthbound(ports, pod)
  if (chassisOf(southbound, pod.node).length === 0)
    throw new KkError('KK_EXEC', `${pod.node} is no chassis of OVN, so its gateways are unknown`)
  return gatewayPorts(southbound, pod.node)
}

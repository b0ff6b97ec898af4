import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {inject} from 'vitest'
import {kubectl, makeNamespace} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {pushedImage} from './images.ts'
import {inPod} from './in-server.ts'
import {onMachine} from './network-guests.ts'

/**
 * sushy-tools, which speaks Redfish for libvirt, and what of its needs nova-compute's image does not have;
 * all of it is Python alone.
 */
const SUSHY_TOOLS = [
  'sushy-tools==2.2.0',
  'flask==3.1.3',
  'werkzeug==3.1.9',
  'itsdangerous==2.2.0',
  'click==8.5.1',
]

const POD = 'machine'
const UUID = '5d1f6f0e-7c0b-4d1e-9d53-1f0e4b6a7c10'
const MAC = '52:54:00:5d:1f:6f'
const NETWORK = '10.214.0.0/24'
const GATEWAY = '10.214.0.1'
const ADDRESS = '10.214.0.10'
/** Where pods are, and this machine for them. */
const PODS = '10.213.0.0/16'
const MEMORY_MIB = 2048
const CONSOLE = '/run/machine/console'

/**
 * A machine of bare metal as ironic sees it: in truth a guest of libvirt, with a controller that speaks
 * Redfish.
 */
export interface Metal {
  readonly namespace: string
  /** Where its controller is. */
  readonly redfish: string
  readonly system: string
  readonly mac: string
  /** In MiB. */
  readonly memory: number
  readonly address: string
}

/** Starts a pod with a network, and in it a machine, which is off, and its controller. */
export async function metalUp(): Promise<Metal> {
  const namespace = await makeNamespace()
  const tools = join(inject('aio').home, 'sushy-tools')
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--upgrade', '--target', tools]
  await execa('python3', [...pip, ...SUSHY_TOOLS])
  // Of disks it says nothing; were it not told so, each question for them were an error, which ironic asks
  // again for half a minute.
  await writeFile(join(tools, 'emulator.conf'), `SUSHY_EMULATOR_STORAGE = {"${UUID}": []}\n`)
  const images = await Promise.all(['nova-libvirt', 'nova-compute'].map(pushedImage))
  await kubectl(['apply', '--filename', '-'], pod(namespace, tools, images))
  await kubectl(['wait', '--namespace', namespace, `pod/${POD}`, '--for=condition=Ready', '--timeout=300s'])
  const ip = await kubectl(['get', 'pod', '--namespace', namespace, POD, '--output=jsonpath={.status.podIP}'])
  await onMachine('ip', 'route', 'replace', NETWORK, 'via', ip)
  const system = `/redfish/v1/Systems/${UUID}`
  return {namespace, redfish: `http://${ip}:8000`, system, mac: MAC, memory: MEMORY_MIB, address: ADDRESS}
}

/**
 * Takes it away, if it is there, and waits until this machine has nothing of it: no process, and no route.
 */
export async function metalGone({namespace}: Metal): Promise<void> {
  await kubectl(['delete', 'namespace', namespace, '--ignore-not-found'])
  if ((await route()) !== '') await onMachine('ip', 'route', 'delete', NETWORK)
  await waitFor(async () => (await processes()) === '' && (await route()) === '', {
    until: 'nothing is left of the machine of bare metal',
    seconds: 60,
  })
}

/** Those that name the machine: its pod's and QEMU. */
async function processes(): Promise<string> {
  return (await execa('pgrep', ['--full', UUID], {reject: false})).stdout
}

async function route(): Promise<string> {
  return (await onMachine('ip', 'route', 'show', NETWORK)).trim()
}

/** What the machine has written on its serial port since it was switched on. */
export function consoleOf({namespace}: Metal): Promise<string> {
  return inPod(namespace, POD, 'cat', CONSOLE)
}

function pod(namespace: string, tools: string, [libvirt, compute]: readonly string[]): object {
  const run = {name: 'libvirt', mountPath: '/run/libvirt'}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: POD, namespace},
    spec: {
      terminationGracePeriodSeconds: 0,
      volumes: [
        {name: 'libvirt', emptyDir: {}},
        {name: 'tools', hostPath: {path: tools}},
        {name: 'busybox', hostPath: {path: '/bin/busybox'}},
      ],
      containers: [
        {
          name: 'machine',
          image: libvirt,
          command: ['bash', '-euc', MACHINE],
          securityContext: {privileged: true, runAsUser: 0},
          volumeMounts: [run, {name: 'busybox', mountPath: '/usr/local/bin/busybox'}],
          readinessProbe: {exec: {command: ['virsh', '--quiet', 'dominfo', UUID]}},
        },
        {
          name: 'controller',
          image: compute,
          command: [
            'python3',
            '-m',
            'sushy_tools.emulator.main',
            '--interface',
            '0.0.0.0',
            '--config',
            '/tools/emulator.conf',
          ],
          env: [{name: 'PYTHONPATH', value: '/tools'}],
          securityContext: {runAsUser: 0},
          volumeMounts: [run, {name: 'tools', mountPath: '/tools'}],
          readinessProbe: {httpGet: {path: '/redfish/v1/Systems', port: 8000}, timeoutSeconds: 20},
        },
      ],
    },
  }
}

const DOMAIN = `
<domain type='qemu'>
  <name>machine</name>
  <uuid>${UUID}</uuid>
  <memory unit='MiB'>${MEMORY_MIB}</memory>
  <vcpu>1</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <loader readonly='yes' type='pflash'>/usr/share/OVMF/OVMF_CODE_4M.fd</loader>
    <nvram template='/usr/share/OVMF/OVMF_VARS_4M.fd'/>
    <boot dev='hd'/>
  </os>
  <features><acpi/></features>
  <on_reboot>restart</on_reboot>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw' discard='unmap'/>
      <source file='/run/machine/images/disk'/>
      <target dev='sda' bus='sata'/>
    </disk>
    <interface type='bridge'>
      <mac address='${MAC}'/>
      <source bridge='metal'/>
      <model type='virtio'/>
    </interface>
    <serial type='file'><source path='${CONSOLE}'/></serial>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
  </devices>
</domain>`

/** The network, with an address for the machine, and libvirt, which knows the machine. */
const MACHINE = `
mkdir -p /run/machine/images
echo 1 >/proc/sys/net/ipv4/ip_forward
ip link add metal type bridge
ip address add ${GATEWAY}/24 dev metal
ip link set metal up
touch /run/leases
cat >/run/udhcpd.conf <<CONF
interface metal
start ${ADDRESS}
end ${ADDRESS}
lease_file /run/leases
option subnet 255.255.255.0
option staticroutes ${PODS} ${GATEWAY}
CONF
busybox udhcpd -f /run/udhcpd.conf &
cat >/etc/libvirt/qemu.conf <<CONF
user = "root"
group = "root"
remember_owner = 0
namespaces = []
cgroup_controllers = []
security_driver = "none"
stdio_handler = "file"
CONF
libvirtd &
until virsh --quiet uri >/dev/null 2>&1; do sleep 1; done
truncate --size 5G /run/machine/images/disk
virsh --quiet pool-create-as default dir --target /run/machine/images
virsh --quiet define /dev/stdin <<XML
${DOMAIN}
XML
wait -n
`

import {readdir, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {testDirectory} from '../support/test-directory.ts'
import {machine} from './support/machine.ts'
import {kk, kubectl, makeNamespace, nodeHome} from './support/node.ts'
import {IMAGE, inPod, pushImage} from './support/pods.ts'

const NODES = ['node-1', 'node-2']
const SERVE =
  '/bin/busybox mkdir -p /tmp/www; echo "$NODE" >/tmp/www/index.html; exec /bin/busybox httpd -f -p 8080 -h /tmp/www'
const MOUNT =
  '/bin/busybox mkdir -p /guests/mounted; /bin/busybox mount -t tmpfs mine /guests/mounted; exec /bin/busybox sleep 424242'
const READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'

let before: Awaited<ReturnType<typeof machine>>
let namespace: string
beforeAll(async () => {
  await kk(['aio', 'down'])
  before = await machine()
  const {exitCode, stderr} = await kk(['aio', 'up', '--nodes', '2'])
  expect(exitCode, stderr).toBe(0)
  await pushImage('node/nodes/node-1')
  expect((await kk(['aio', 'node', 'seed'])).stderr).toContain('all nodes have 1 images')
  namespace = await makeNamespace()
  await daemonSet('web', SERVE, {
    readinessProbe: {httpGet: {path: '/', port: 8080}, periodSeconds: 1},
    ports: [{containerPort: 8080, hostPort: 30_088}],
  })
  await daemonSet(
    'host',
    MOUNT,
    {
      securityContext: {privileged: true},
      volumeMounts: [{name: 'guests', mountPath: '/guests', mountPropagation: 'Bidirectional'}],
    },
    {
      ...{hostNetwork: true, hostPID: true, dnsPolicy: 'ClusterFirstWithHostNet'},
      volumes: [{name: 'guests', hostPath: {path: '/var/lib/nova', type: 'DirectoryOrCreate'}}],
    },
  )
  await kubectl(['create', '--filename', '-'], {
    ...{apiVersion: 'v1', kind: 'Service', metadata: {name: 'web', namespace}},
    spec: {type: 'NodePort', selector: {app: 'web'}, ports: [{port: 80, targetPort: 8080}]},
  })
  for (const name of ['web', 'host'])
    await kubectl(['rollout', 'status', '--namespace', namespace, `daemonset/${name}`, '--timeout=120s'])
})
afterAll(() => kk(['aio', 'down']))

async function daemonSet(name: string, script: string, container: object, spec: object = {}) {
  const NODE = {name: 'NODE', valueFrom: {fieldRef: {fieldPath: 'spec.nodeName'}}}
  const main = {name: 'main', image: IMAGE, args: ['sh', '-c', script], env: [NODE], ...container}
  const template = {
    metadata: {labels: {app: name}},
    spec: {terminationGracePeriodSeconds: 0, containers: [main], ...spec},
  }
  await kubectl(['create', '--filename', '-'], {
    ...{apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: {name, namespace}},
    spec: {selector: {matchLabels: {app: name}}, template},
  })
}

/** A value of the pod of a DaemonSet on a node. */
async function ofPod(app: string, node: string, path = '{.metadata.name}'): Promise<string> {
  const where = ['--selector', `app=${app}`, '--field-selector', `spec.nodeName=${node}`]
  const output = ['--output', `jsonpath=${path.replace('{', '{.items[0]')}`]
  return kubectl(['get', 'pod', '--namespace', namespace, ...where, ...output])
}

async function onNode(app: string, node: string, script: string): Promise<string> {
  return inPod(namespace, script, await ofPod(app, node))
}

const curl = (address: string) => `/usr/bin/curl --silent --show-error --fail --max-time 5 http://${address}`

/** The nodes whose pods answer at an address, asked from a pod. */
async function answering(app: string, node: string, address: string): Promise<readonly string[]> {
  const said = await onNode(app, node, `for i in $(/bin/busybox seq 20); do ${curl(address)}; done`)
  return [...new Set(said.trim().split('\n'))].sort()
}

async function becomes(node: string, ready: RegExp): Promise<void> {
  await waitFor(async () => ready.test(await kubectl(['get', 'node', node, '--output', READY])), {
    ...{until: `Ready of ${node} is ${ready}`, seconds: 120},
  })
}

describe('several nodes on this machine', () => {
  it('are reported, and left running by another up', async () => {
    const {stdout} = await kk(['aio', 'status', '--output', 'json'])

    expect(JSON.parse(stdout)).toMatchObject({nodes: NODES.map((name) => ({name, ready: true}))})
    expect((await kk(['aio', 'up', '--nodes', '2'])).stderr).toBe('the node is already running')
    expect((await kk(['aio', 'up'])).stderr).toBe('the node is already running, with nodes: 2')
  })

  it.each(NODES)('have pods on %s that reach those of all nodes, by address and by Service', async (node) => {
    const addresses = await Promise.all(NODES.map((each) => ofPod('web', each, '{.status.podIP}')))

    for (const [index, address] of addresses.entries())
      expect(await onNode('web', node, curl(`${address}:8080`))).toBe(NODES[index])
    expect(await answering('web', node, `web.${namespace}`)).toEqual(NODES)
    expect(await answering('host', node, `web.${namespace}`)).toEqual(NODES)
    expect(await onNode('web', node, '/usr/bin/curl -ks https://kubernetes.default/version')).toContain('v1.')
  })

  it('answer to this machine: by a Service and by the NodePorts and host ports of each', async () => {
    const path = 'jsonpath={.spec.clusterIP} {.spec.ports[0].nodePort}'
    const service = await kubectl(['get', 'service', '--namespace', namespace, 'web', '--output', path])
    const [address, port] = service.split(' ')
    const ask = async (url: string) => (await (await fetch(`http://${url}/`)).text()).trim()

    expect(NODES).toContain(await ask(address!))
    expect(NODES).toContain(await ask(`10.213.1.1:${port}`))
    expect(await ask('10.213.1.1:30088')).toBe('node-1')
    expect(await ask('10.213.2.1:30088')).toBe('node-2')
  })

  it.each(NODES)('%s has its own name, network, processes, cgroups and disk', async (node) => {
    const script = (line: string) => onNode('host', node, line)

    expect(await script('/bin/busybox hostname')).toBe(node)
    expect(await script('/bin/busybox ip -o -4 address show kk-aio0')).toContain(`10.213.${node.at(-1)}.1/16`)
    expect(await script('/bin/busybox ps | /bin/busybox grep -c "[k]ubelet --config"')).toBe('1')
    expect(await script('/bin/busybox grep -c /var/lib/nova/mounted /proc/1/mounts')).toBe('1')
    expect(await script('/bin/busybox ip -o -4 address show eth1')).toContain('10.215.0.1')
  })
})

describe('kk aio node', () => {
  it('seed gives each node the images of the registry, once on disk, and only before there are pods', async () => {
    const events = ['get', 'events', '--namespace', namespace, '--field-selector', 'reason=Pulled']
    const {exitCode, stderr} = await kk(['aio', 'node', 'seed'])
    const store = join(
      nodeHome(),
      'node/nodes/node-2/containerd/io.containerd.content.v1.content/blobs/sha256',
    )
    const blobs = await Promise.all((await readdir(store)).map((blob) => stat(join(store, blob))))

    const pulled = await kubectl(events)
    expect(pulled).toContain('already present on machine')
    expect(pulled).not.toContain('Successfully pulled')
    expect(blobs.filter(({nlink}) => nlink > 1)).not.toEqual([])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('node-1 has pods')
  })

  // Before the cases that stop nodes: a gate waits for ten minutes after the second restart of a pod.
  it('drains a node of its pods as budgets allow, and takes it back', async () => {
    const file = join(testDirectory(), 'env.yaml')
    await writeFile(file, `kk: {name: nodes, namespace: ${namespace}}\n`)
    await kubectl(['cordon', 'node-1'])
    const main = {name: 'main', image: IMAGE, args: ['sleep', '424242']}
    const template = {
      metadata: {labels: {app: 'moved'}},
      spec: {terminationGracePeriodSeconds: 0, containers: [main]},
    }
    const selector = {matchLabels: {app: 'moved'}}
    await kubectl(['create', '--filename', '-'], {
      ...{apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'moved', namespace}},
      spec: {replicas: 1, selector, template},
    })
    await kubectl(['create', '--filename', '-'], {
      ...{apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: {name: 'moved', namespace}},
      spec: {maxUnavailable: 0, selector},
    })
    const available = ['deployment/moved', '--namespace', namespace, '--timeout=60s']
    await kubectl(['rollout', 'status', ...available])
    await kubectl(['uncordon', 'node-1'])
    const pod = await ofPod('moved', 'node-2')
    const onNodes = ['--sandbox-name', 'aio']
    const drain = (...flags: readonly string[]) => kk(['node', 'drain', 'node-2', file, ...onNodes, ...flags])

    const unconfirmed = await drain()
    const refused = await drain('--yes', '--timeout', '10s')
    await kubectl(['delete', 'pdb', 'moved', '--namespace', namespace])
    const drained = await drain('--yes')
    await kubectl(['rollout', 'status', ...available])
    const list = await kk(['node', 'list', file, ...onNodes, '--output', 'json'])
    const served = await answering('web', 'node-1', `web.${namespace}`)
    const returned = await kk(['node', 'return', 'node-2', file, ...onNodes])

    expect(unconfirmed.exitCode).toBe(3)
    expect(refused.exitCode).toBe(1)
    expect(refused.stdout).toMatch(`${namespace}/${pod} stays: Cannot evict pod as it would violate`)
    expect(drained.exitCode, drained.stderr).toBe(0)
    expect(await ofPod('moved', 'node-1')).not.toBe(pod)
    expect(JSON.parse(list.stdout)).toMatchObject({
      nodes: [
        {node: 'node-1', state: 'ready'},
        {node: 'node-2', state: 'drained'},
      ],
    })
    expect(served).toEqual(NODES)
    expect(returned.exitCode, returned.stderr).toBe(0)
    expect(await kubectl(['get', 'node', 'node-2', '--output', 'jsonpath={.spec}'])).not.toContain(
      'unschedulable',
    )
  })

  it('stop ends all of a node at once, and start brings the same pods back', async () => {
    const pod = await ofPod('web', 'node-2')

    const stopped = await kk(['aio', 'node', 'stop', '2'])
    await becomes('node-2', /Unknown/)
    const served = await answering('web', 'node-1', `web.${namespace}`)
    const status = await kk(['aio', 'status'])
    const started = await kk(['aio', 'node', 'start', '2'])

    expect([stopped.stderr, started.stderr]).toEqual(['node-2 is stopped', 'node-2 is Ready'])
    expect(served).toEqual(['node-1'])
    expect(status.stdout).toContain('the node runs and is not Ready')
    await waitFor(async () => (await answering('web', 'node-1', `web.${namespace}`)).length === 2, {
      until: 'the pods of node-2 serve again',
    })
    expect(await ofPod('web', 'node-2')).toBe(pod)
  })

  it('cut leaves what runs in a node, which nothing reaches until start', async () => {
    const restarts = '{.status.containerStatuses[0].restartCount}'
    const address = await ofPod('web', 'node-2', '{.status.podIP}')
    const count = await ofPod('web', 'node-2', restarts)

    await kk(['aio', 'node', 'cut', 'node-2'])
    const asked = onNode('web', 'node-1', curl(`${address}:8080`))

    await expect(asked).rejects.toThrow()
    await becomes('node-2', /Unknown/)
    expect((await kk(['aio', 'node', 'start', 'node-2'])).exitCode).toBe(0)
    expect(await onNode('web', 'node-1', curl(`${address}:8080`))).toBe('node-2')
    expect(await ofPod('web', 'node-2', restarts)).toBe(count)
  })

  it('stop --kubelet leaves the pods of a node, which start takes over', async () => {
    const address = await ofPod('web', 'node-2', '{.status.podIP}')

    await kk(['aio', 'node', 'stop', '2', '--kubelet'])
    await becomes('node-2', /Unknown/)

    expect(await onNode('web', 'node-1', curl(`${address}:8080`))).toBe('node-2')
    expect((await kk(['aio', 'node', 'start', '2'])).exitCode).toBe(0)
    await becomes('node-2', /True/)
  })

  it('start waits for a report of the node itself: Kubernetes keeps the last one of a lost node', async () => {
    await kk(['aio', 'node', 'stop', '2'])
    const stopped = Date.now()

    const {exitCode, stderr} = await kk(['aio', 'node', 'start', '2'])

    expect(exitCode, stderr).toBe(0)
    const lease = ['get', 'lease', 'node-2', '--namespace', 'kube-node-lease']
    const renewed = await kubectl([...lease, '--output', 'jsonpath={.spec.renewTime}'])
    expect(Date.parse(renewed)).toBeGreaterThan(stopped)
  })

  it('refuses a node that does not exist', async () => {
    const {exitCode, stderr} = await kk(['aio', 'node', 'stop', '3'])

    expect(exitCode).toBe(1)
    expect(stderr).toContain('there are 2 nodes, and no node 3')
  })

  it('down leaves no process, mount, interface, rule, setting or file of any node', async () => {
    const {exitCode, stderr} = await kk(['aio', 'down'])

    expect(exitCode, stderr).toBe(0)
    expect(await machine()).toEqual(before)
  })
})

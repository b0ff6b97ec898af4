import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, inject} from 'vitest'
import {FORMER_KUBERNETES} from '../../../scripts/toolbox/recipe.ts'
import {mergeValues} from '../../../src/base/merge.ts'
import {once} from '../../../src/base/once.ts'
import type {Values} from '../../../src/base/values.ts'
import {OPENSTACK_LABELS} from '../../../src/sandbox/control-plane/objects.ts'
import {NODE_NAME} from '../../../src/sandbox/sandbox.ts'
import {status} from '../../../src/sandbox/status.ts'
import {kk, kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {CATALOGUE, imagesOf} from './catalogue.ts'
import {client, inClient} from './client.ts'
import {onCloud, succeed} from './cloud.ts'
import {changedEnvironment} from './environment.ts'
import {formerKubernetes} from './former-kubernetes.ts'
import {pushImages, ROOT} from './images.ts'
import {phase} from './phase.ts'

/** What instances need, on two hypervisors and three controllers. */
const RELEASES = [
  ...['mariadb', 'rabbitmq', 'memcached', 'ceph', 'keystone', 'glance', 'placement'],
  ...['openvswitch', 'ovn', 'libvirt', 'neutron', 'nova', 'cinder'],
]

/** `environments/nodes.yaml` with these releases, and a change. */
async function nodesFileWith(releases: readonly string[], change: Values): Promise<string> {
  const {kk: _, ...values} = load(await readFile(join(ROOT, 'environments/nodes.yaml'), 'utf8')) as Values
  return changedEnvironment({values: mergeValues(values, change), only: releases})
}

const nodesFile = once(() => nodesFileWith(RELEASES, {}))

/** The environment with OpenStack's tests. */
export function withTempest(values: Values): Promise<string> {
  return nodesFileWith([...RELEASES, 'tempest'], {tempest: values})
}

/** The environment with Prometheus and probers. */
export function withMonitoring(): Promise<string> {
  return nodesFileWith([...RELEASES, 'monitoring', 'probers'], {monitoring: {}, probers: {}})
}

/** The environment with another image of a component. */
export function withImage(release: string, tags: Readonly<Record<string, string>>): Promise<string> {
  return nodesFileWith(RELEASES, {[release]: {images: {tags}}})
}

/** The node without labels, which can take the place of another. */
export const SPARE_NODE = 'node-4'

/**
 * A cloud on three nodes, the last of which is no hypervisor, a spare node, and a client in it. Kubernetes is
 * one minor version older than kk's.
 */
export async function nodesUp(): Promise<string> {
  const file = await nodesFile()
  const {state} = await status(NODE_NAME, {XDG_STATE_HOME: inject('aio').state})
  if (state !== 'absent') {
    // The user's, or what the former test file has left.
    const {exitCode, stdout, stderr} = await onCloud(['status', file])
    if (exitCode !== 0)
      throw new Error(
        `expected no node, or one with a healthy cloud of this test; "kk aio down" takes it away\n${stdout}\n${stderr}`,
      )
    await client()
    return file
  }
  const toolbox = await phase('former Kubernetes', formerKubernetes)
  await phase('nodes up', async () => {
    const {exitCode, stderr} = await kk(['aio', 'up', '--nodes', '4'], {KK_TOOLBOX: toolbox})
    expect(exitCode, stderr).toBe(0)
    await kubectl(['label', 'node', 'node-3', 'openstack-compute-node-'])
    await kubectl(['label', 'node', SPARE_NODE, ...Object.keys(OPENSTACK_LABELS).map((label) => `${label}-`)])
  })
  await pushImages()
  await phase('nodes seeded', async () => {
    const {exitCode, stderr} = await kk(['aio', 'node', 'seed'])
    expect(exitCode, stderr).toBe(0)
  })
  await phase('cloud deployed', () => succeed(['deploy', file, '--yes']))
  await phase('first token', clientOnSpareNode)
  return file
}

/** Takes a node away, or starts it again, with the Kubernetes that it had. */
export async function power(verb: 'stop' | 'cut' | 'start', node: string): Promise<void> {
  const version = await kubectl([
    'get',
    'node',
    node,
    '--output',
    'jsonpath={.status.nodeInfo.kubeletVersion}',
  ])
  const former = version === FORMER_KUBERNETES && {KK_TOOLBOX: await formerKubernetes()}
  const {exitCode, stderr} = await kk(['aio', 'node', verb, node], {...former})
  expect(exitCode, stderr).toBe(0)
}

/** Starts the client where no test drains or stops the node: a pod without a controller would stay there. */
export async function clientOnSpareNode(): Promise<void> {
  const others = ['node-1', 'node-2', 'node-3']
  await kubectl(['cordon', ...others])
  try {
    await client()
  } finally {
    await kubectl(['uncordon', ...others])
  }
}

/** Barbican, beside the cloud: for keys of encrypted volumes. */
export async function keysUp(): Promise<void> {
  const names = ['barbican']
  await pushImages(...(await imagesOf(names)))
  const keys = await changedEnvironment({of: CATALOGUE, only: names})
  await phase('barbican deployed', () => succeed(['deploy', keys, '--yes']))
}

/** Resolves when every release is healthy. */
export async function healthy(seconds = 600): Promise<void> {
  const file = await nodesFile()
  await waitFor(async () => (await onCloud(['status', file])).exitCode === 0, {
    until: 'the cloud is healthy',
    seconds,
  })
}

/** Takes a node back into the cloud. */
export async function takeBack(node: string): Promise<void> {
  const returned = await onCloud(['node', 'return', node, await nodesFile()])
  expect(returned.exitCode, `${returned.stdout}\n${returned.stderr}`).toBe(0)
}

/** Expects that nothing in the cloud contradicts anything else. */
export async function expectConsistent(): Promise<void> {
  const {exitCode, stdout, stderr} = await onCloud(['audit', await nodesFile()])
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
}

/** The charts whose members with a volume run on a node; those of Ceph with their component. */
export async function membersOn(node: string): Promise<readonly string[]> {
  const list = await kubectl([
    ...[
      'get',
      'pods',
      '--namespace',
      'openstack',
      '--field-selector',
      `spec.nodeName=${node}`,
      '--output',
      'json',
    ],
  ])
  interface Pod {
    readonly metadata: {readonly labels: Readonly<Record<string, string>>}
    readonly spec: {readonly volumes: readonly {readonly persistentVolumeClaim?: object}[]}
  }
  return (JSON.parse(list) as {readonly items: readonly Pod[]}).items
    .filter(({spec}) => spec.volumes.some((volume) => volume.persistentVolumeClaim))
    .map(({metadata: {labels}}) => {
      const chart = labels['app.kubernetes.io/name']!
      return chart === 'ceph' ? `ceph-${labels['app.kubernetes.io/component']}` : chart
    })
    .sort()
}

/** What the cloud knows of a host. */
export async function traces(host: string): Promise<readonly string[]> {
  const names = await inClient(`
    openstack compute service list --host ${host} -f value -c Binary -c Host
    openstack hypervisor list -f value -c "Hypervisor Hostname" | grep -w ${host} || true
    openstack network agent list -f value | grep -w -e ${host} -e deleted || true
    openstack aggregate list --long -f value | grep -w ${host} || true`)
  const rows = ['Chassis', 'Chassis_Private'].map((table) =>
    kubectl([
      ...['exec', '--namespace', 'openstack', 'statefulset/ovn-sb', '--', 'ovn-sbctl', '--no-leader-only'],
      ...['--db=unix:/run/ovn/db.sock', '--bare', '--columns=name', 'find', table, `name=${host}`],
    ]),
  )
  const found = [names, ...(await Promise.all(rows))]
  return found.flatMap((text) => text.split('\n')).filter((line) => line !== '')
}

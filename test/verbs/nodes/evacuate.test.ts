import {mkdir, readdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import type {Exec} from '../../../src/kubernetes/exec/exec.ts'
import {palette} from '../../../src/report/colour.ts'
import {evacuatedText} from '../../../src/report/nodes-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {evacuate, planEvacuate} from '../../../src/verbs/nodes/evacuate.ts'
import {DELETE_WITHOUT_DISK, returnNode} from '../../../src/verbs/nodes/return.ts'
import {answeringPods, podOf} from '../../audit/support/answering-pods.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {ENVIRONMENT, type FakeCloud, fakeCloud, host, portsOf, server} from './support/cloud.ts'

const UNKNOWN = {status: {conditions: [{type: 'Ready', status: 'Unknown'}]}}
const READY = {status: {conditions: [{type: 'Ready', status: 'True'}]}}
const node = (name: string, status: object) => ({metadata: {name}, spec: {}, ...status})

/** A cloud whose node `a` is dead, and the pods that are asked for the clients of disks. */
function deadNode(
  more: Partial<FakeCloud> = {},
  watched: Readonly<Record<string, readonly object[]>> = {web_disk: []},
) {
  const cloud = fakeCloud({
    nodes: [node('a', UNKNOWN), node('b', READY)],
    hosts: [host('a', {isUp: false}), host('b')],
    servers: [server('web')],
    ...more,
  })
  const on = (name: string) => podOf('nova', 'compute', {name: `nova-compute-${name}`, node: name})
  // Kubernetes shows the pods of a dead node as running.
  const {ports, programs} = answeringPods([on('a'), on('b')], {
    'nova-compute-b': () => ({pools: {vms: watched}, sections: {libvirt: 'vms'}}),
  })
  const exec = {
    ...ports.exec,
    /** A pod that was deleted has another name. */
    pods: async (namespace: string) =>
      (await ports.exec.pods(namespace)).map((pod) =>
        cloud.done.includes(`delete Pod/${pod.name}`) ? {...pod, name: `${pod.name}-again`} : pod,
      ),
  }
  return {cloud, programs, ports: {...portsOf(cloud), exec: exec as Exec}}
}

const options = () => ({
  ...{environment: ENVIRONMENT, node: 'a', deadline: Date.now() + 60_000, concurrency: 2},
  files: join(import.meta.dirname, '../../..'),
  onProgress: () => undefined,
})

async function settle(): Promise<void> {}

describe('kk node evacuate', () => {
  it('asks pods of other nodes, and starts the instances elsewhere', async () => {
    const {cloud, ports, programs} = deadNode()

    const {plan} = await planEvacuate(ports, options())
    const evacuated = await evacuate(ports, {...options(), plan})

    expect(programs.map(({pod}) => pod)).toEqual(['nova-compute-b'])
    expect(cloud.avoided).toEqual(['a', 'a'])
    expect(cloud.done).toEqual(['force-down a', 'evacuate web'])
    expect(evacuated).toMatchObject({node: 'a', stays: []})
    expect(cloud.servers).toMatchObject([{name: 'web', host: 'b'}])
  })

  it('leaves an instance with a disk that Ceph does not show', async () => {
    const {ports} = deadNode({servers: [server('web', {volumes: ['v']})]})

    const {plan} = await planEvacuate(ports, options())

    expect(plan.operations.map(({do: way}) => way)).toEqual(['force-down'])
    expect(plan.stays).toMatchObject([
      {name: 'web', why: 'Ceph has no image of its volume v, so the clients of that are unknown'},
    ])
  })

  it('counts an instance as failed if nothing reports how its operation ended', async () => {
    const {cloud, ports} = deadNode()
    const {plan} = await planEvacuate(ports, options())
    cloud.isLogLost = true

    const evacuated = await evacuate(ports, {...options(), plan})

    expect(evacuated.operations.map(({event, result}) => [event, result])).toEqual([
      ['failed', 'not begun, or not reported'],
      ['failed', 'not begun, or not reported'],
    ])
    expect(viewText(evacuatedText(evacuated, palette(0)))).toBe(
      [
        'a is not evacuated: 2 problems',
        '✘ force down a: not begun, or not reported',
        '✘ start elsewhere web: not begun, or not reported\n',
      ].join('\n'),
    )
  })

  it.each([
    ['a disk is open', deadNode({}, {web_disk: [{address: '10.0.0.7', client: 1}]})],
    ['its kubelet reports', deadNode({nodes: [node('a', READY), node('b', READY)]})],
    [
      'its kubelet reports that it is not ready',
      deadNode({
        nodes: [node('a', {status: {conditions: [{type: 'Ready', status: 'False'}]}}), node('b', READY)],
      }),
    ],
    ['its nova-compute reports', deadNode({hosts: [host('a'), host('b')]})],
  ])('is refused while %s', async (_, {cloud, ports}) => {
    const {plan} = await planEvacuate(ports, options(), settle)

    await expect(evacuate(ports, {...options(), plan})).rejects.toMatchObject({
      code: 'KK_NODE_ALIVE',
      exit: 3,
    })
    expect(cloud.done).toEqual([])
  })

  it('asks again for disks that are open if everything else shows that the node is off', async () => {
    const watched: Record<string, readonly object[]> = {web_disk: [{address: '10.0.0.7', client: 1}]}
    const {ports, programs} = deadNode({}, watched)

    const {plan} = await planEvacuate(ports, options(), async () => {
      watched['web_disk'] = []
    })

    expect(plan.doubts).toEqual([])
    expect(programs).toHaveLength(2)
  })

  it('is refused if no other node can ask for the clients of its disks', async () => {
    const {ports} = deadNode()
    const {ports: alone} = answeringPods([podOf('nova', 'compute', {node: 'a'})], {})

    await expect(planEvacuate({...ports, exec: alone.exec as Exec}, options())).rejects.toMatchObject({
      code: 'KK_EXEC',
    })
  })

  it('is refused without nova', async () => {
    const {ports} = deadNode({hosts: []})

    await expect(planEvacuate(ports, options())).rejects.toMatchObject({code: 'KK_NOT_INSTALLED'})
  })
})

it('kk node return restarts nova-compute of an evacuated node before it enables the host', async () => {
  const {cloud, ports, programs} = deadNode({
    nodes: [node('a', READY), node('b', READY)],
    hosts: [host('a', {isForcedDown: true, isEnabled: false}), host('b')],
    servers: [server('web', {host: 'b'}), server('db', {host: 'a'})],
  })

  await returnNode(ports, options())

  // Nova moves no instance to a node that has a directory of it.
  const [{pod, command} = {command: []}] = programs
  expect([pod, command.slice(-2)]).toEqual(['nova-compute-a-again', ['/var/lib/nova/instances', 'web']])

  expect(cloud.done).toEqual([
    ...['delete Pod/nova-compute-a', 'wait for DaemonSet/agents', 'enable a'],
    'wait for Deployment/nova-status',
  ])
})

it('kk node return fails if nova-compute does not come back', async () => {
  const {ports} = deadNode({
    nodes: [node('a', READY), node('b', READY)],
    hosts: [host('a', {isForcedDown: true, isEnabled: false}), host('b')],
  })
  const objects = {...ports.objects, delete: async () => undefined}
  const returning = returnNode({...ports, objects}, {...options(), deadline: Date.now() + 500})

  await expect(returning).rejects.toMatchObject({
    code: 'KK_UNHEALTHY',
    message: 'a has no pod of nova-compute after the restart',
  })
})

it('what evacuated instances left on a node is deleted, unless a disk is there', async () => {
  const directory = testDirectory()
  for (const [id, file] of [
    ['left', 'console.log'],
    ['local', 'disk'],
    ['other', 'console.log'],
  ] as const) {
    await mkdir(join(directory, id))
    await writeFile(join(directory, id, file), '')
  }

  const {stdout} = await execa('bash', [
    '-c',
    DELETE_WITHOUT_DISK,
    'delete',
    directory,
    'left',
    'local',
    'gone',
  ])

  expect(stdout).toBe('left')
  expect((await readdir(directory)).sort()).toEqual(['local', 'other'])
})

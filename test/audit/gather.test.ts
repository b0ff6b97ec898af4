import {describe, expect, it} from 'vitest'
import {gather, podsFor} from '../../src/audit/gather.ts'
import {KkError} from '../../src/base/errors.ts'
import {answeringPods, NOTHING, podOf} from './support/answering-pods.ts'

const scope = (...charts: readonly string[]) => ({
  releases: charts.map((chart) => ({namespace: 'openstack', name: chart, chart})),
})
const DOMAINS = {hostname: 'one.example', domains: []}

describe('the facts of a cloud', () => {
  it('are read by each collector, with its input, in the pod of its service', async () => {
    const {ports, programs} = answeringPods([podOf('rabbitmq', 'server')], {
      'rabbitmq-server-0': () => ({members: ['rabbit@0'], running: [], queues: []}),
    })

    const {facts, asked, notAsked} = await gather(ports, scope('rabbitmq'))

    expect(facts.buses.map(({members}) => members)).toEqual([['rabbit@0']])
    expect({asked, notAsked}).toEqual({asked: ['rabbitmq'], notAsked: []})
    expect(programs[0]).toMatchObject({pod: 'rabbitmq-server-0', container: 'server'})
    expect(programs[0]!.input).toMatch(/^import json\nINPUT = json\.loads\("\{\}"\)\n# rabbitmq$/)
  })

  it('are read on every node', async () => {
    const pods = [podOf('libvirt', 'libvirt'), podOf('libvirt', 'libvirt', {name: 'second', node: 'two'})]
    const {ports} = answeringPods(pods, {'libvirt-libvirt-0': () => DOMAINS, second: () => DOMAINS})

    const {facts, asked} = await gather(ports, scope('libvirt'))

    expect([...facts.hypervisors.keys()]).toEqual(['one', 'two'])
    expect(asked).toEqual(['libvirt on one', 'libvirt on two'])
  })

  it('are not asked of a service that is not deployed', async () => {
    const {ports, programs} = answeringPods([podOf('rabbitmq', 'server')], {})

    const {asked, notAsked} = await gather(ports, scope('keystone-of-another'))

    expect([asked, notAsked, programs]).toEqual([[], [], []])
  })

  it('do not count a service whose storage is not Ceph', async () => {
    const {ports} = answeringPods([podOf('nova', 'compute')], {'nova-compute-0': () => NOTHING})

    const {facts, asked, notAsked} = await gather(ports, scope('nova'))

    expect(facts.serverPools).toBeUndefined()
    expect(asked).toEqual([])
    expect(notAsked.map(({source}) => source)).toEqual(['nova'])
  })

  it.each([
    ['has no pod', [], {}, 'rabbitmq has no pod of server'],
    [
      'is not running',
      [podOf('rabbitmq', 'server', {isRunning: false})],
      {},
      'pod rabbitmq-server-0 is not running',
    ],
    [
      'fails',
      [podOf('rabbitmq', 'server')],
      {'rabbitmq-server-0': () => ({code: 1, stderr: 'Traceback\nError: nodedown\n'})},
      'pod rabbitmq-server-0: Error: nodedown',
    ],
    [
      'may not be asked',
      [podOf('rabbitmq', 'server')],
      {'rabbitmq-server-0': () => new KkError('KK_FORBIDDEN', 'may not execute a program')},
      'may not execute a program',
    ],
  ])('name a source that %s', async (_, pods, answers, reason) => {
    const {ports} = answeringPods(pods, answers)

    const {facts, asked, notAsked} = await gather(ports, scope('rabbitmq'))

    expect(facts.buses).toEqual([])
    expect({asked, notAsked}).toEqual({asked: [], notAsked: [{source: 'rabbitmq', reason}]})
  })
})

describe('the releases of a cloud', () => {
  const bus = () => ({members: ['rabbit@0'], running: [], queues: []})

  it('are the only ones whose pods are read', async () => {
    const pods = [
      podOf('rabbitmq', 'server', {name: 'a', release: 'other-region'}),
      podOf('rabbitmq', 'server'),
    ]
    const {ports, programs} = answeringPods(pods, {'rabbitmq-server-0': bus})

    await gather(ports, scope('rabbitmq'))

    expect(programs.map(({pod}) => pod)).toEqual(['rabbitmq-server-0'])
  })

  it('each have a RabbitMQ that is read', async () => {
    const second = {namespace: 'openstack', name: 'second', chart: 'rabbitmq'}
    const third = {namespace: 'openstack', name: 'third', chart: 'rabbitmq'}
    const pods = [
      podOf('rabbitmq', 'server'),
      podOf('rabbitmq', 'server', {name: 'second-0', release: 'second'}),
    ]
    const {ports} = answeringPods(pods, {'rabbitmq-server-0': bus, 'second-0': bus})

    const {facts, asked, notAsked} = await gather(ports, {
      releases: [...scope('rabbitmq').releases, second, third],
    })

    expect(facts.buses.map(({release}) => release)).toEqual(['openstack/rabbitmq', 'openstack/second'])
    expect(asked).toEqual(['rabbitmq of openstack/rabbitmq', 'rabbitmq of openstack/second'])
    expect(notAsked).toEqual([{source: 'rabbitmq of openstack/third', reason: 'it has no pods'}])
  })

  it('do not have one database of a service each', async () => {
    const second = {namespace: 'openstack', name: 'second', chart: 'nova'}
    const pods = [podOf('nova', 'api'), podOf('nova', 'api', {name: 'second-0', release: 'second'})]
    const {ports, programs} = answeringPods(pods, {})

    const {notAsked} = await gather(ports, {releases: [...scope('nova').releases, second]})

    expect(programs).toEqual([])
    expect(notAsked[0]).toEqual({
      source: 'nova',
      reason: 'several releases have it: openstack/nova, openstack/second',
    })
  })

  it('name a compute node without a pod of libvirt', async () => {
    const pods = [podOf('libvirt', 'libvirt'), podOf('nova', 'compute', {name: 'bare', node: 'two'})]
    const {ports} = answeringPods(pods, {'libvirt-libvirt-0': () => DOMAINS})

    const {notAsked} = await gather(ports, scope('libvirt', 'nova'))

    expect(notAsked).toContainEqual({source: 'libvirt on two', reason: 'libvirt has no pod of libvirt'})
  })
})

describe('the pods of a collector', () => {
  const source = {chart: 'nova', components: ['conductor', 'api']}

  it('are the first component that runs', () => {
    const conductor = podOf('nova', 'conductor', {isRunning: false})

    expect(podsFor(source, [conductor, podOf('nova', 'api')])).toEqual([podOf('nova', 'api')])
    expect(podsFor(source, [conductor])).toEqual([conductor])
  })
})
